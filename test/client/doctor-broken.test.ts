import { testCases } from './doctor-cases.ts'
import { answerJson } from './doctor-servers.ts'

testCases([
  {
    what: 'metadata that describes another resource',
    break: ({ resourceDocument }) => {
      resourceDocument.resource = 'https://inside.example:9000/mcp'
    },
    cause: 'other_resource',
    check: 'resource',
    detail: /describes https:\/\/inside\.example:9000\/mcp, but http:.* was called/,
    next: /^Set "resource" to http:\/\/127\.0\.0\.1:\d+\/mcp/,
  },
  {
    what: 'metadata whose resource has a slash more',
    break: ({ resourceDocument, resource }) => {
      resourceDocument.resource = `${resource}/`
    },
    cause: 'other_resource',
    check: 'resource',
    detail: /the slash at the end is a difference/,
    next: /^Set "resource" to/,
  },
  {
    what: 'an issuer that writes its name with a slash at the end',
    break: ({ issuerDocument, issuer }) => {
      issuerDocument.issuer = `${issuer}/`
    },
    cause: 'issuer_mismatch',
    check: 'issuer',
    detail: /differ by the slash at the end/,
    next: /^Name it http:\/\/127\.0\.0\.1:\d+\/ in the settings/,
  },
  {
    what: 'an authorization server that does not do S256',
    break: ({ issuerDocument }) => {
      issuerDocument.code_challenge_methods_supported = ['plain']
    },
    cause: 'no_s256',
    check: 'PKCE',
    detail: /names only plain/,
    next: /"code_challenge_methods_supported": \["S256"\]/,
  },
  {
    what: 'an empty key set',
    break: ({ keySet, token }) => {
      keySet.keys = []
      return token()
    },
    cause: 'empty_keys',
    check: 'key set',
    detail: /\/jwks is empty/,
    next: /^Give the authorization server a signing key/,
  },
  {
    what: 'a key set that is not there',
    break: ({ broken }) => void broken.set('/jwks', (_, response) => answerJson(response, {}, 404)),
    cause: 'no_keys',
    check: 'key set',
    detail: /\/jwks answers 404/,
    next: /publish its public keys at http:.*\/jwks/,
  },
  {
    what: 'a server whose clock is an hour fast',
    break: ({ ahead, token }) => {
      ahead.resource = 3_600_000
      return token()
    },
    cause: 'clock',
    check: 'clock',
    detail: /^The clock of the server is 1 hour fast/,
    next: /^Set the clock of the server right/,
    status: 401,
  },
  {
    what: 'an authorization server whose clock is an hour fast',
    break: ({ ahead }) => {
      ahead.issuer = 3_600_000
    },
    cause: 'clock',
    check: 'clock',
    detail: /^The clock of the authorization server is 1 hour fast/,
    next: /^Set the clock of the authorization server right/,
  },
  {
    what: 'a clock here that is an hour slow',
    break: () => undefined,
    cause: 'clock',
    check: 'clock',
    detail: /^The clock of this machine is 1 hour slow/,
    next: /^Set the clock of this machine right/,
    options: { now: () => Date.now() - 3_600_000 },
  },
  {
    what: 'an authorization server with a public name over http',
    break: ({ resourceDocument }) => {
      resourceDocument.authorization_servers = ['http://login.example.com']
    },
    cause: 'insecure_issuer',
    check: 'authorization server',
    detail: /http:\/\/login\.example\.com must be https/,
    next: /name it so: https:\/\/login\.example\.com/,
  },
  {
    what: 'a 401 without WWW-Authenticate',
    break: (patient) => {
      patient.hasChallenge = false
    },
    cause: 'no_challenge',
    check: 'challenge',
    detail: /no WWW-Authenticate/,
    next: /^Add to the 401: WWW-Authenticate: Bearer resource_metadata="http:.*\/\.well-known\/oauth-protected-resource\/mcp"$/,
  },
  {
    what: 'a redirect to https, on which the token gets lost',
    break: ({ broken, token }) => {
      const location = 'https://tools.example/mcp'
      broken.set('/mcp', (_, response) => void response.writeHead(308, { location }).end())
      return token()
    },
    cause: 'redirect',
    check: 'reach',
    detail: /a redirect to https:\/\/tools\.example\/mcp: on the way clients drop the token/,
    next: /^Call https:\/\/tools\.example\/mcp in place of/,
  },
  {
    what: 'no metadata anywhere',
    break: (patient) => {
      patient.hasChallenge = false
      for (const path of ['', '/mcp'])
        patient.broken.set(`/.well-known/oauth-protected-resource${path}`, (_, response) =>
          answerJson(response, {}, 404),
        )
    },
    cause: 'no_challenge',
    check: 'resource metadata',
    detail: /does not say where to sign in/,
    next: /WWW-Authenticate/,
  },
  {
    what: 'a private key among the public ones',
    break: ({ keySet }) => void keySet.keys.push({ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'secret' }),
    cause: 'private_key_published',
    check: 'key set',
    detail: /shows a private key to everybody/,
    next: /^Replace that key now/,
  },
  {
    what: 'an address where there is no tool server',
    break: ({ broken }) => void broken.set('/mcp', (_, response) => answerJson(response, {}, 404)),
    cause: 'no_tool_server',
    check: 'reach',
    detail: /POST is answered 404/,
    next: /whole address of the tool server/,
  },
  {
    what: 'a server that never answers',
    break: ({ broken }) => void broken.set('/mcp', () => {}),
    cause: 'timeout',
    check: 'reach',
    detail: /did not answer in time/,
    next: /overloaded/,
    options: { timeoutMs: 300 },
  },
])
