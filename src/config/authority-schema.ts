import {
  type TArray,
  type TBoolean,
  type TEnum,
  type TInteger,
  type TObject,
  type TOptional,
  type TString,
  Type,
} from 'typebox'
import {
  derivedMark,
  expectsMark,
  listOf,
  type RecordOf,
  recordOf,
  secretMark,
  secretText,
  section,
} from './schema-parts.ts'

const scopeSchema: TObject<{
  description: TString
  resource: TEnum<['mcp', 'api', 'v1beta']>
  adminOnly: TBoolean
}> = section('A scope that may be asked for.', {
  description: Type.String({
    minLength: 1,
    description: 'What it allows, in plain words, as the consent page says it: `Read your notes`.',
  }),
  resource: Type.Enum(['mcp', 'api', 'v1beta'], {
    default: 'mcp',
    description: 'The surface of the gateway that it belongs to.',
  }),
  adminOnly: Type.Boolean({
    default: false,
    description: 'Whether only users added with `--admin` can grant it.',
  }),
})

const clientSchema: TObject<{
  id: TString
  name: TString
  secret: TOptional<TString>
  redirectUris: TArray<TString>
  grants: TArray<TEnum<['authorization_code', 'refresh_token', 'client_credentials']>>
  introspects: TBoolean
}> = section('A client that is known beforehand.', {
  id: Type.String({ minLength: 1, description: 'Its client identifier.' }),
  name: Type.String({ minLength: 1, description: 'What the consent page calls it.' }),
  secret: Type.Optional(secretText('Its secret. A client without one is public: PKCE alone protects it.')),
  redirectUris: listOf(Type.String({ format: 'redirect-uri' }), {
    description: 'Where it is sent back to, exactly; the port of a loopback address is free.',
  }),
  grants: Type.Array(Type.Enum(['authorization_code', 'refresh_token', 'client_credentials']), {
    default: ['authorization_code', 'refresh_token'],
    description: 'The grants it may use.',
  }),
  introspects: Type.Boolean({
    default: false,
    description: 'Whether it may ask about tokens (RFC 7662), as a resource server does. Needs a secret.',
  }),
})

const upstreamSchema: TObject<{
  name: TString
  issuer: TString
  clientId: TString
  clientSecret: TString
  scopes: TArray<TString>
  loginClaim: TString
  admins: TArray<TString>
}> = section('An OpenID provider at which people sign in, beside or in place of local users.', {
  name: Type.String({ minLength: 1, description: 'What the sign-in page calls it.' }),
  issuer: Type.String({ format: 'issuer-url', description: 'Its issuer identifier.' }),
  clientId: Type.String({ minLength: 1, description: 'The client that the authority is there.' }),
  clientSecret: secretText('The secret of that client.'),
  scopes: Type.Array(Type.String({ minLength: 1 }), {
    default: ['openid', 'profile', 'email'],
    description: 'The scopes to ask for there.',
  }),
  loginClaim: Type.String({
    minLength: 1,
    default: 'email',
    description:
      'The claim of the ID token that becomes the login; an `email` counts only when it is verified.',
  }),
  admins: listOf(Type.String({ minLength: 1 }), {
    description: 'The logins from there that may grant scopes which are `adminOnly`.',
  }),
})

const bindingSchema: TObject<{ subject: TString; serviceAccount: TString }> = section(
  'Whose tokens stand for which service account.',
  {
    subject: Type.String({
      format: 'token-subject',
      minLength: 1,
      description: 'The `sub` of the token, exactly; one `*` at its end stands for any text.',
    }),
    serviceAccount: Type.String({
      pattern: '^[^\\s@]+@[^\\s@]+$',
      [expectsMark]: 'an e-mail address',
      description: 'The e-mail of the service account.',
    }),
  },
)

const workloadSchema: TObject<{
  issuer: TString
  jwksUri: TOptional<TString>
  audience: TString
  bindings: TArray<typeof bindingSchema>
}> = section('An issuer of workload tokens that are exchanged for ours (RFC 8693).', {
  issuer: Type.String({ format: 'issuer-url', description: 'Its issuer identifier, as in `iss`.' }),
  jwksUri: Type.Optional(
    Type.String({
      format: 'secure-url',
      [secretMark]: 'password',
      description: 'Where its keys are. Found by discovery unless set.',
    }),
  ),
  audience: Type.String({
    minLength: 1,
    description:
      'The audience its tokens must have, and that the exchange names: `//iam.<host>/locations/global/workloadIdentityPools/POOL/providers/NAME`.',
  }),
  bindings: listOf(bindingSchema, { description: 'Tokens of any other subject are refused.' }),
})

export const authoritySchema: TObject<{
  host: TString
  port: TInteger
  issuer: TString
  secret: TOptional<TString>
  accessTokenSeconds: TInteger
  refreshTokenDays: TInteger
  sessionHours: TInteger
  opaqueResources: TArray<TEnum<['mcp', 'api', 'v1beta']>>
  scopes: RecordOf<typeof scopeSchema>
  clients: TArray<typeof clientSchema>
  registration: TBoolean
  clientDocuments: TBoolean
  allowPrivate: TBoolean
  localUsers: TBoolean
  upstream: TOptional<typeof upstreamSchema>
  workloads: TArray<typeof workloadSchema>
  trustedProxies: TArray<TString>
}> = section('The authorization server that `postern authority` runs. The gateway reads nothing of it.', {
  host: Type.String({
    format: 'listen-host',
    default: '127.0.0.1',
    description: 'The address to listen on.',
  }),
  port: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 8081,
    description: 'The port. `0` takes any free one.',
  }),
  issuer: Type.String({
    format: 'own-issuer',
    [derivedMark]: '`http://<host>:<port>` when `host` is loopback; required otherwise',
    description: 'Its issuer identifier, the URL by which browsers and clients reach it, without a path.',
  }),
  secret: Type.Optional(
    Type.String({
      format: 'signing-key',
      [secretMark]: 'whole',
      description:
        'Seals the private keys in the store; at least 32 characters, the same on every instance. Required to run the authority.',
    }),
  ),
  accessTokenSeconds: Type.Integer({
    minimum: 60,
    maximum: 3600,
    default: 600,
    description: 'How long an access token lives.',
  }),
  refreshTokenDays: Type.Integer({
    minimum: 1,
    maximum: 365,
    default: 30,
    description: 'How long a refresh token lives; each use gives a new one and ends the old.',
  }),
  sessionHours: Type.Integer({
    minimum: 1,
    maximum: 720,
    default: 12,
    description: 'How long a person stays signed in in the browser.',
  }),
  opaqueResources: listOf(Type.Enum(['mcp', 'api', 'v1beta']), {
    description:
      'The surfaces whose access tokens are opaque, to be asked about by introspection; the others get signed ones (RFC 9068).',
  }),
  scopes: recordOf(scopeSchema, {
    description:
      'The scopes of your tools, by name, besides those that Postern itself knows. A tool whose scope is not here can not be called with a token from here.',
  }),
  clients: listOf(clientSchema, { description: 'Clients that are known beforehand.' }),
  registration: Type.Boolean({
    default: true,
    description: 'Whether clients may register themselves (RFC 7591).',
  }),
  clientDocuments: Type.Boolean({
    default: true,
    description: 'Whether a client may identify itself by the URL of its metadata document.',
  }),
  allowPrivate: Type.Boolean({
    default: false,
    description:
      'Whether client documents and the keys of workload issuers may be fetched from private addresses and over plain http. For tests and closed networks.',
  }),
  localUsers: Type.Boolean({
    default: true,
    description: 'Whether people sign in with a password kept here. Without it an `upstream` is needed.',
  }),
  upstream: Type.Optional(upstreamSchema),
  workloads: listOf(workloadSchema, {
    description: 'Issuers of workload tokens that are exchanged for ours.',
  }),
  trustedProxies: listOf(Type.String({ format: 'address-range' }), {
    description:
      'Addresses or ranges (`10.1.2.0/28`) of proxies in front, and never of clients: their `X-Forwarded-For` is believed for throttling.',
  }),
})
