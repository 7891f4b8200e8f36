import { assertionGrant, createAssertionGrant } from './assertion-grant.ts'
import type { AuthorityContext } from './context.ts'
import { createExchangeGrant } from './exchange-grant.ts'
import { answeringTokens } from './machine-answer.ts'
import type { Route } from './route.ts'
import { refreshForFile } from './user-refresh.ts'

/** What service accounts, workloads and the credentials files of Google's client libraries call. */
export function createMachineRoutes(context: AuthorityContext): readonly Route[] {
  const { log } = context
  return [
    {
      method: 'POST',
      path: /^\/token$/,
      when: (form) => form.getAll('grant_type').includes(assertionGrant),
      handle: answeringTokens(log, createAssertionGrant(context)),
    },
    {
      method: 'POST',
      path: /^\/v1\/token$/,
      // Besides the token of the workload, the options that Google's libraries send along.
      largestBody: 32_768,
      handle: answeringTokens(log, createExchangeGrant(context)),
    },
    // A file of the type `external_account_authorized_user` names these two; they are the provider's own endpoints.
    { method: 'POST', path: /^\/v1\/oauthtoken$/, handle: refreshForFile },
    { method: 'POST', path: /^\/v1\/introspect$/, handle: ({ forward }) => forward('/introspect') },
  ]
}
