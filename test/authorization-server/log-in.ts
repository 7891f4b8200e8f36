/** What a person with a browser does: signs in, consents, is sent back to the client. That last URL is not visited. */
export async function logIn(authorizationUrl: URL | string, login = 'ada'): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(authorizationUrl)
  const end = addressOf(new URL(url.searchParams.get('redirect_uri') ?? ''))
  for (let step = 0; step < maximumSteps; step += 1) {
    if (addressOf(url) === end) return url
    const response = await visit(url, cookies)
    const next = response.headers.get('location')
    url =
      next === null ? await submitForm(await response.text(), { url, cookies, login }) : new URL(next, url)
  }
  throw new Error(`the log-in did not end within ${maximumSteps} steps`)
}

const maximumSteps = 20

function addressOf({ origin, pathname }: URL): string {
  return origin + pathname
}

interface Visit {
  readonly url: URL
  readonly cookies: Map<string, string>
  readonly login: string
}

async function submitForm(page: string, { url, cookies, login }: Visit): Promise<URL> {
  const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? []
  const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
  if (action === undefined || prompt === undefined)
    throw new Error(`no form to fill in at ${url.href}: ${page}`)
  const body = new URLSearchParams({ prompt, login, password: 'any' })
  const response = await visit(new URL(action, url), cookies, body)
  const next = response.headers.get('location')
  if (next === null) throw new Error(`the form was not taken: ${await response.text()}`)
  return new URL(next, url)
}

async function visit(url: URL, cookies: Map<string, string>, body?: URLSearchParams): Promise<Response> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { cookie },
    ...(body === undefined ? {} : { method: 'POST', body }),
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
  return response
}
