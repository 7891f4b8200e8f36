export interface SecretWord {
  /** Parts are joined by nothing, `_` or `-`, in a text also by a space. */
  readonly words: string
  /** Where in the name of a property: `keyId` and `statusCode` are harmless, so `key` counts at the end and `code` alone. */
  readonly inName: 'anywhere' | 'end' | 'whole'
  /** After a telling word a colon is enough; an ordinary one also stands in prose and needs `=`, quotes or dashes. */
  readonly inText: 'telling' | 'ordinary'
}

/** The words that name a secret, for the names of properties and for texts alike. */
export const secretWords: readonly SecretWord[] = [
  ...rows('anywhere', 'telling', [
    'authorization',
    'cookie',
    'password',
    'passwd',
    'passphrase',
    'passcode',
    'secret',
    'api key',
    'private key',
    'code verifier',
    'assertion',
    'access token',
    'refresh token',
    'id token',
    'page token',
    'bearer',
    'dpop',
  ]),
  ...rows('anywhere', 'ordinary', ['credential', 'signature', 'jwt']),
  ...rows('end', 'telling', ['pwd', 'next cursor']),
  ...rows('end', 'ordinary', [
    'token',
    'key',
    'cursor',
    'jwk',
    'otp',
    'auth code',
    'device code',
    'user code',
  ]),
  ...rows('whole', 'telling', ['pass', 'x auth']),
  ...rows('whole', 'ordinary', ['auth', 'basic auth', 'code', 'pin']),
]

function rows(
  inName: SecretWord['inName'],
  inText: SecretWord['inText'],
  list: readonly string[],
): SecretWord[] {
  return list.map((words) => ({ words, inName, inText }))
}
