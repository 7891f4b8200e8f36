import type { ApiKey } from '../client/api/api-key.ts'
import type { KeyPart } from './api-keys-stored.ts'
import { type Command, hasFlag, jsonOption, onlyWord, printJson } from './command.ts'
import { type Listing, listOptions, pageLimit, showList } from './list-output.ts'
import { placeOptions, type TwoWays, withPart } from './two-ways.ts'
import { minuteOf } from './wire-time.ts'

export const apiKeysList: Command = {
  name: 'keys list',
  group: 'API keys',
  summary: 'list the API keys, with their limits and last use',
  options: { ...placeOptions, ...listOptions },
  details: 'The last use is noted at most once a minute. A key itself is never shown, only how it ends.',
  example: 'postern keys list --all --json',
  run: async (call) => {
    const limit = pageLimit(call)
    await withPart(call, keyPart, ({ keys }) => showList(call, keys({ limit }), listing))
    return 0
  },
}

export const apiKeysRevoke: Command = {
  name: 'keys revoke',
  group: 'API keys',
  summary: 'refuse an API key from now on',
  words: 'ID',
  options: { ...placeOptions, json: jsonOption },
  details: 'Running gateways notice within a second.',
  example: 'postern keys revoke 019a8e0c-5f2b-7c41-9a3e-6d1f0b2c4e58',
  run: async (call) => {
    const id = onlyWord(call, 'key, by its id')
    await withPart(call, keyPart, ({ revokeKey }) => revokeKey(id))
    if (hasFlag(call, 'json')) printJson(call, { id, state: 'revoked' })
    else call.io.out(`${id} is revoked.\n`)
    return 0
  },
}

export const keyPart: TwoWays<KeyPart> = {
  stored: async (opened) => (await import('./api-keys-stored.ts')).storedApiKeys(opened),
  remote: ({ api }) => api,
}

const listing: Listing<ApiKey> = {
  noun: 'keys',
  headings: ['ID', 'NAME', 'FOR', 'KEY', 'STATE', 'EXPIRES', 'LAST USED', 'ONLY'],
  row: (key) => [
    key.id,
    key.name,
    key.principal,
    `…${key.hint}`,
    key.state,
    minuteOf(key.expires_at),
    minuteOf(key.last_used_at),
    [key.models, key.scopes, key.addresses].flatMap((limit) => limit ?? []).join(' '),
  ],
  none: 'There is no API key yet. Create one with "postern keys create --name NAME".\n',
}
