import {
  type TArray,
  type TEnum,
  type TInteger,
  type TObject,
  type TOptional,
  type TString,
  Type,
} from 'typebox'
import { secretMark, secretText, section } from './schema-parts.ts'

const introspectionSchema: TObject<{
  url: TString
  clientId: TString
  clientSecret: TString
  cacheSeconds: TInteger
}> = section('How to ask this issuer about a token (RFC 7662). Needed with `validate: introspection`.', {
  url: Type.String({
    format: 'secure-url',
    [secretMark]: 'password',
    description: 'The introspection endpoint.',
  }),
  clientId: Type.String({ minLength: 1, description: 'The client that the gateway is at this issuer.' }),
  clientSecret: secretText('The secret of that client.'),
  cacheSeconds: Type.Integer({
    minimum: 0,
    maximum: 3600,
    default: 30,
    description:
      'How long an answer is remembered, and so how late a revoked token may be noticed. `0` asks every time.',
  }),
})

/** Signatures only that need no shared secret: `none` and HMAC are not to be had. */
type Algorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'
  | 'Ed25519'

export const issuerSchema: TObject<{
  issuer: TString
  validate: TEnum<['jwt', 'introspection']>
  jwksUri: TOptional<TString>
  algorithms: TArray<TEnum<Algorithm[]>>
  clockSkewSeconds: TInteger
  scopeClaim: TString
  introspection: TOptional<typeof introspectionSchema>
}> = section('An authorization server whose access tokens are accepted.', {
  issuer: Type.String({
    format: 'issuer-url',
    description:
      'Its issuer identifier, exactly as in the `iss` claim; not `server.publicUrl`. https, unless its host is loopback.',
  }),
  validate: Type.Enum(['jwt', 'introspection'], {
    default: 'jwt',
    description: '`jwt` checks the signature of a token here; `introspection` asks the issuer.',
  }),
  jwksUri: Type.Optional(
    Type.String({
      format: 'secure-url',
      [secretMark]: 'password',
      description: 'Where its keys are. Found through the metadata of the issuer unless set.',
    }),
  ),
  algorithms: Type.Array(
    Type.Enum<Algorithm[]>([
      'RS256',
      'RS384',
      'RS512',
      'PS256',
      'PS384',
      'PS512',
      'ES256',
      'ES384',
      'ES512',
      'EdDSA',
      'Ed25519',
    ]),
    {
      minItems: 1,
      default: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
      description: 'The signature algorithms to accept.',
    },
  ),
  clockSkewSeconds: Type.Integer({
    minimum: 0,
    maximum: 300,
    default: 30,
    description: 'How far the clocks of issuer and gateway may differ.',
  }),
  scopeClaim: Type.String({
    minLength: 1,
    default: 'scope',
    description: 'The claim that holds the scopes: `scope` by the standard, `scp` at some issuers.',
  }),
  introspection: Type.Optional(introspectionSchema),
})
