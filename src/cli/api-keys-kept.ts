import { Failure } from '../failure/failure.ts'
import type { ApiKeyView } from '../store/api-key-view.ts'
import { type Command, configOption, hasFlag, jsonOption, onlyWord, printJson } from './command.ts'
import { formatTable } from './table.ts'

export const apiKeysList: Command = {
  name: 'keys list',
  group: 'API keys',
  summary: 'list the API keys, with their limits and last use',
  options: { config: configOption, json: jsonOption },
  details: 'The last use is noted at most once a minute. A key itself is never shown, only how it ends.',
  example: 'postern keys list --json',
  run: async (call) => {
    const { withStore } = await import('./with-store.ts')
    const { everyApiKey } = await import('./api-key-list.ts')
    const all = await withStore(call, everyApiKey)
    if (hasFlag(call, 'json')) printJson(call, { keys: all })
    else call.io.out(all.length === 0 ? noneYet : formatTable(headings, all.map(keyForPeople), call.io))
    return 0
  },
}

export const apiKeysRevoke: Command = {
  name: 'keys revoke',
  group: 'API keys',
  summary: 'refuse an API key from now on',
  words: 'ID',
  options: { config: configOption },
  details: 'Running gateways notice within a second.',
  example: 'postern keys revoke 019a8e0c5f2b7c41',
  run: async (call) => {
    const id = onlyWord(call, 'key, by its id')
    const { withStore } = await import('./with-store.ts')
    const { createApiKeys } = await import('../store/api-keys.ts')
    await withStore(call, async ({ store, now }) => {
      const keys = createApiKeys(store, now)
      if (await keys.revoke(id)) return
      const isThere = (await keys.findById(id)) !== undefined
      throw isThere
        ? new Failure('conflict', `the key ${id} is revoked already`)
        : new Failure('not-found', `there is no key "${id}"; "postern keys list" shows their ids`)
    })
    call.io.out(`${id} is revoked.\n`)
    return 0
  },
}

const noneYet = 'There is no API key yet. Create one with "postern keys create --name NAME".\n'
const headings = ['ID', 'NAME', 'FOR', 'KEY', 'STATE', 'EXPIRES', 'LAST USED', 'ONLY']

function keyForPeople(key: ApiKeyView): string[] {
  return [
    key.id,
    key.name,
    key.principal,
    `…${key.hint}`,
    key.state,
    moment(key.expiresAt),
    moment(key.lastUsedAt),
    [key.models, key.scopes, key.addresses].flatMap((limit) => limit ?? []).join(' '),
  ]
}

/** To the minute. */
function moment(time: string | null): string {
  return time === null ? 'never' : `${time.slice(0, 16).replace('T', ' ')}Z`
}
