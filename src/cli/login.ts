import {
  type Call,
  type Command,
  hasFlag,
  jsonOption,
  printJson,
  textOption,
  textOptions,
} from './command.ts'
import { writeLastLogin } from './last-login.ts'
import { loginPlan } from './login-plan.ts'
import { type GrantView, grantView, tellGrant } from './login-report.ts'
import { readNumber } from './read-number.ts'
import { serverUrl, surfaceNamed } from './server-url.ts'
import { signedIn, tokenStore } from './signed-in.ts'

export const login: Command = {
  name: 'login',
  group: 'Tools and models',
  summary: 'sign in to a server, in the browser',
  words: '[URL]',
  options: {
    scope: {
      type: 'string',
      placeholder: 'SCOPE',
      multiple: true,
      description: 'What to allow, besides what is allowed already (default what the tools need).',
    },
    'no-browser': { type: 'boolean', description: 'Print the address of the page, and open no browser.' },
    'client-id': {
      type: 'string',
      placeholder: 'ID',
      description: 'A client that the issuer knows, where it registers none (or $POSTERN_CLIENT_ID).',
    },
    port: {
      type: 'string',
      placeholder: 'PORT',
      description: 'Where the browser comes back to, for issuers that know one port (default any free one).',
    },
    json: jsonOption,
  },
  details: [
    'Without --scope it signs in for the tools. A scope of another part of the server (its metadata says which it has)',
    'signs in for that part: one page each; and so does its address, such as https://postern.example/v1beta.',
    'The server is remembered, and later commands need no --url. Tokens are kept in a file that only you can read, and',
    'refreshed; POSTERN_TOKEN_FILE names another one. It works with any tool server that speaks MCP and OAuth: give its',
    'whole address, such as https://tools.example/mcp.',
  ].join('\n'),
  example: 'postern login http://127.0.0.1:8080 --scope demo:echo',
  run: async (call) => {
    const server = await serverUrl(call, oneUrl(call))
    const clientId = textOption(call, 'client-id')
    const port = readNumber(call, 'port', { from: 1, to: 65_535, isWhole: true })
    const isBrowserless = hasFlag(call, 'no-browser')
    const store = await tokenStore(call)
    const views: GrantView[] = []
    for (const { surface, scopes } of await loginPlan(call, server, textOptions(call, 'scope'))) {
      const oauth = await signedIn(call, surface, { server, mayAsk: true, isBrowserless, clientId, port })
      await oauth.signIn(scopes === undefined ? {} : { scopes })
      const grant = await store.grant(oauth.resource)
      if (grant === undefined) continue
      views.push(grantView(grant))
      if (!hasFlag(call, 'json')) call.io.out(tellGrant(grant))
    }
    const isPart = surfaceNamed(server) !== 'mcp'
    await writeLastLogin(call.io, { url: isPart ? `${server.origin}/` : server.href, clientId, port })
    if (hasFlag(call, 'json')) printJson(call, { server: server.href, grants: views })
    return 0
  },
}

function oneUrl({ words }: Call): string | undefined {
  return words.length <= 1 ? words[0] : words.join(' ')
}
