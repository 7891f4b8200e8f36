import { generateKeyPair, SignJWT } from 'jose'
import { testCases } from './doctor-cases.ts'

testCases([
  {
    what: 'a token for another audience',
    break: ({ token }) => token({ aud: 'https://other.example/mcp' }),
    cause: 'wrong_audience',
    check: 'audience',
    detail: /^The token is for https:\/\/other\.example\/mcp, and this server takes tokens for http:.*\/mcp$/,
    next: /resource=http:\/\/127\.0\.0\.1:\d+\/mcp/,
    status: 401,
  },
  {
    what: 'a token without the scope that a call needs',
    break: (patient) => {
      patient.needs = ['notes:read', 'notes:admin']
      return patient.token()
    },
    cause: 'scope_missing',
    check: 'scope',
    detail: /^The call needs notes:admin, and the token allows notes:read$/,
    next: /also allows notes:admin/,
    status: 403,
  },
  {
    what: 'a token that has expired',
    break: ({ token }) => token({ exp: Math.floor(Date.now() / 1000) - 7200 }),
    cause: 'expired',
    check: 'lifetime',
    detail: /^The token expired 2 hours ago/,
    next: /^Get a new token/,
    status: 401,
  },
  {
    what: 'a token of another issuer',
    break: ({ token }) => token({ iss: 'https://elsewhere.example' }),
    cause: 'wrong_issuer',
    check: 'token issuer',
    detail: /^The token is of https:\/\/elsewhere\.example, and the server takes tokens of http:/,
    next: /^Get a token for/,
    status: 401,
  },
  {
    what: 'a token that somebody else signed with the same key name',
    break: async ({ issuer, resource }) => {
      const { privateKey } = await generateKeyPair('ES256')
      const claims = { iss: issuer, aud: resource, exp: Math.floor(Date.now() / 1000) + 600 }
      return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey)
    },
    cause: 'bad_signature',
    check: 'signature',
    detail: /was not made with a key of the issuer/,
    next: /^Get a new token from http:/,
    status: 401,
  },
  {
    what: 'a token of a key that is no longer published',
    break: async ({ issuer, resource }) => {
      const { privateKey } = await generateKeyPair('ES256')
      const claims = { iss: issuer, aud: resource, exp: Math.floor(Date.now() / 1000) + 600 }
      return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'old' }).sign(privateKey)
    },
    cause: 'unknown_key',
    check: 'signature',
    detail: /a key that its issuer does not publish/,
    next: /^Get a new token from http:/,
    status: 401,
  },
  {
    what: 'an opaque token that the server does not know',
    break: () => 'an-opaque-token',
    cause: 'unknown_token',
    check: 'refusal',
    detail: /does not take the token/,
    next: /^Get a new token/,
    status: 401,
  },
  {
    what: 'an ID token in place of the access token',
    break: ({ token }) => token({ aud: 'the-client', nonce: 'n' }),
    cause: 'wrong_audience',
    check: 'audience',
    detail: /looks like an ID token/,
    next: /^Send the access token/,
    status: 401,
  },
  {
    what: 'a token with "Bearer" before it',
    break: async ({ token }) => `Bearer ${await token()}`,
    cause: 'token_malformed',
    check: 'token',
    detail: /characters that no token may have/,
    next: /^Give the bare access token/,
  },
  {
    what: 'a server that takes a token which somebody else signed',
    break: async (patient) => {
      patient.verifies = false
      const { privateKey } = await generateKeyPair('ES256')
      const claims = { iss: patient.issuer, aud: patient.resource, exp: Math.floor(Date.now() / 1000) + 600 }
      return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey)
    },
    cause: 'signature_unchecked',
    check: 'signature',
    detail: /anybody can make such a token/,
    next: /^Make the server check the signature/,
  },
])
