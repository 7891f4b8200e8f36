import { errors } from 'oidc-provider'
import { showConsent, submitConsent } from './consent.ts'
import type { AuthorityContext } from './context.ts'
import { cancel, switchAccount } from './leave.ts'
import { sendPage } from './page.ts'
import { expiredPage } from './page-message.ts'
import { styleRoute } from './page-style.ts'
import { createPeople, type People } from './people.ts'
import type { Exchange, Route } from './route.ts'
import { showSignIn, submitSignIn } from './sign-in.ts'
import { beginUpstream, endUpstream, returnFromUpstream } from './upstream-sign-in.ts'
import { openVisit, redirect, requireOwnForm, type Visit } from './visit.ts'

type Prompt = 'login' | 'consent'

/** The pages on which a person signs in and says what a client may do; the provider sends them to `/sign-in/<uid>`. */
export function createInteractionRoutes(context: AuthorityContext): readonly Route[] {
  const people = createPeople(context)
  return [
    styleRoute,
    page(people, '', show),
    page(people, '/upstream', (visit) => during(visit, 'login', endUpstream)),
    form(people, '/enter', (visit) => during(visit, 'login', submitSignIn)),
    form(people, '/upstream', (visit) => during(visit, 'login', beginUpstream)),
    form(people, '/allow', (visit) => during(visit, 'consent', submitConsent)),
    form(people, '/switch', switchAccount),
    form(people, '/cancel', cancel),
    toPage,
    {
      method: 'GET',
      path: /^\/upstream\/callback$/,
      handle: (exchange) => orExpired(exchange, () => returnFromUpstream(people, exchange)),
    },
  ]
}

async function show(visit: Visit): Promise<void> {
  return visit.interaction.prompt.name === 'consent' ? showConsent(visit) : showSignIn(visit)
}

/** A form of a page that was left by the back button leads to where the person is now. */
async function during(visit: Visit, prompt: Prompt, answer: (visit: Visit) => Promise<void>): Promise<void> {
  if (visit.interaction.prompt.name === prompt) return answer(visit)
  redirect(visit.exchange, visit.path)
}

type Answer = (visit: Visit) => Promise<void>

function page(people: People, step: string, answer: Answer): Route {
  return {
    method: 'GET',
    path: pathOf(step),
    handle: (exchange) => orExpired(exchange, async () => answer(await openVisit(people, exchange))),
  }
}

function form(people: People, step: string, answer: Answer): Route {
  return {
    method: 'POST',
    path: pathOf(step),
    handle: (exchange) =>
      orExpired(exchange, async () => {
        const visit = await openVisit(people, exchange)
        requireOwnForm(visit)
        return answer(visit)
      }),
  }
}

/** After a complaint the browser is at the address of the form; who opens that again means the page. */
const toPage: Route = {
  method: 'GET',
  path: pathOf('/(?:enter|allow|switch|cancel)'),
  handle: async (exchange) => redirect(exchange, `/sign-in/${exchange.params.uid}`),
}

function pathOf(step: string): RegExp {
  return new RegExp(`^/sign-in/(?<uid>[\\w-]{1,64})${step}$`)
}

async function orExpired({ response }: Exchange, answer: () => Promise<void>): Promise<void> {
  try {
    await answer()
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error
    sendPage(response, expiredPage)
  }
}
