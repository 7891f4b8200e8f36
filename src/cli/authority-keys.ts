import type { KeyState } from '../authority/key-ring.ts'
import { requireSecret } from './authority-secret.ts'
import { type Command, configOption, hasFlag, jsonOption, printJson } from './command.ts'
import { formatTable, formatTime, isoTime } from './table.ts'

export const keysList: Command = {
  name: 'authority keys list',
  group: 'The authority',
  summary: 'list the keys that sign tokens, and until when each is published',
  options: { config: configOption, json: jsonOption },
  example: 'postern authority keys list',
  run: async (call) => {
    const { withStore } = await import('./with-store.ts')
    const { listKeys } = await import('../authority/key-ring.ts')
    const keys = await withStore(call, ({ store, now }) => listKeys(store, now))
    if (hasFlag(call, 'json')) printJson(call, { keys: keys.map(keyForMachines) })
    else call.io.out(keys.length === 0 ? noneYet : formatTable(headings, keys.map(keyForPeople), call.io))
    return 0
  },
}

export const keysRotate: Command = {
  name: 'authority keys rotate',
  group: 'The authority',
  summary: 'make a new key to sign with; the old one stays published while its tokens live',
  options: { config: configOption, json: jsonOption },
  details: [
    'The new key is published at once and signs a minute later, so that nobody meets a token whose key they cannot',
    'find. Running authorities notice by themselves.',
  ].join('\n'),
  example: 'postern authority keys rotate --config postern.yaml',
  run: async (call) => {
    const { withStore } = await import('./with-store.ts')
    const { rotateKeys } = await import('../authority/key-ring.ts')
    const { kid, signsFrom } = await withStore(call, ({ store, config, now }) =>
      rotateKeys(store, {
        secret: requireSecret(config),
        now,
        accessTokenSeconds: config.authority.accessTokenSeconds,
      }),
    )
    if (hasFlag(call, 'json')) printJson(call, { kid, signsFrom: isoTime(signsFrom) })
    else call.io.out(`New key ${kid}\nIt signs from ${isoTime(signsFrom).slice(0, 19).replace('T', ' ')}Z.\n`)
    return 0
  },
}

const noneYet = 'There is no key yet: the authority makes one when it starts.\n'
const headings = ['KEY', 'ALGORITHM', 'STATE', 'SIGNS FROM', 'PUBLISHED UNTIL']

function keyForPeople({ kid, algorithm, state, signsFrom, publishedUntil }: KeyState): string[] {
  const until = publishedUntil === null ? 'replaced' : formatTime(publishedUntil)
  return [kid, algorithm, state, formatTime(signsFrom), until]
}

function keyForMachines({ kid, algorithm, state, createdAt, signsFrom, publishedUntil }: KeyState): object {
  return {
    kid,
    algorithm,
    state,
    createdAt: isoTime(createdAt),
    signsFrom: isoTime(signsFrom),
    publishedUntil: publishedUntil === null ? null : isoTime(publishedUntil),
  }
}
