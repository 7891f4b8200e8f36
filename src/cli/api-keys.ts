import { Failure } from '../failure/failure.ts'
import type { NewApiKey } from '../store/api-key-secret.ts'
import {
  type Call,
  type Command,
  configOption,
  hasFlag,
  onlyWord,
  printJson,
  textOption,
  textOptions,
} from './command.ts'
import { readDuration } from './duration.ts'
import { formatTime } from './table.ts'

const jsonOption = {
  type: 'boolean',
  description: 'Print the key and all that is known of it as JSON.',
} as const

export const apiKeysCreate: Command = {
  name: 'keys create',
  group: 'API keys',
  summary: 'make an API key of the model API, and show it this once',
  options: {
    config: configOption,
    name: { type: 'string', placeholder: 'NAME', description: 'What the key is for.' },
    principal: {
      type: 'string',
      placeholder: 'WHO',
      description: 'Whom it acts for (default its name).',
    },
    model: {
      type: 'string',
      placeholder: 'MODEL',
      multiple: true,
      description: 'A model that it may call, * for any text (default all of them).',
    },
    scope: {
      type: 'string',
      placeholder: 'SCOPE',
      multiple: true,
      description: 'What it may do (default all that a key can).',
    },
    address: {
      type: 'string',
      placeholder: 'RANGE',
      multiple: true,
      description: 'Where it may be used from, such as 10.0.0.0/8 (default everywhere).',
    },
    expires: {
      type: 'string',
      placeholder: 'TIME',
      description: 'How long it works: 45s, 30m, 12h or 30d (default for good).',
    },
    json: jsonOption,
  },
  details: 'Only a hash of the key is stored: a lost key cannot be shown again, but replaced.',
  example: 'postern keys create --name nightly --model "gemini-*" --address 10.0.0.0/8 --expires 30d',
  run: async (call) => {
    const made = await createKey(call)
    await show(call, made, `Created ${made.row.id}, a key for ${made.row.principal}.`)
    return 0
  },
}

export const apiKeysRotate: Command = {
  name: 'keys rotate',
  group: 'API keys',
  summary: 'make a key with the rights of another, which ends after an overlap',
  words: 'ID',
  options: {
    config: configOption,
    overlap: {
      type: 'string',
      placeholder: 'TIME',
      description: 'How long the old key goes on working: 0s, 30m, 12h or 7d (default 1h).',
    },
    json: jsonOption,
  },
  example: 'postern keys rotate 019a8e0c5f2b7c41 --overlap 1h',
  run: async (call) => {
    const id = onlyWord(call, 'key, by its id')
    const overlap = textOption(call, 'overlap') ?? '1h'
    const seconds = readDuration(overlap, '--overlap')
    const { withStore } = await import('./with-store.ts')
    const { createApiKeys } = await import('../store/api-keys.ts')
    const made = await withStore(call, ({ store, now }) => createApiKeys(store, now).rotate(id, seconds))
    await show(call, made, `Created ${made.row.id} in place of ${id}, which works for another ${overlap}.`)
    return 0
  },
}

async function createKey(call: Call): Promise<NewApiKey> {
  const name = textOption(call, 'name')
  if (name === undefined)
    throw new Failure('invalid-request', 'name what the key is for, with --name NAME; lists show it')
  const expires = textOption(call, 'expires')
  const seconds = expires === undefined ? undefined : readDuration(expires, '--expires')
  const { withStore } = await import('./with-store.ts')
  const { createApiKeys } = await import('../store/api-keys.ts')
  return withStore(call, ({ store, now }) =>
    createApiKeys(store, now).create({
      name,
      principal: textOption(call, 'principal'),
      models: listOption(call, 'model'),
      scopes: listOption(call, 'scope'),
      addresses: listOption(call, 'address'),
      expiresAt: seconds === undefined ? undefined : now() + seconds * 1_000_000,
    }),
  )
}

/** Undefined when it was not given at all: then there is no limit. */
function listOption(call: Call, name: string): readonly string[] | undefined {
  const given = textOptions(call, name)
  return given.length === 0 ? undefined : given
}

async function show(call: Call, { row, key }: NewApiKey, headline: string): Promise<void> {
  if (hasFlag(call, 'json')) {
    const { viewApiKey } = await import('../store/api-key-view.ts')
    const { id, ...view } = viewApiKey(row, row.created_at)
    printJson(call, { id, key, ...view })
    return
  }
  const end = row.expires_at === null ? '' : ` It works until ${formatTime(row.expires_at)}.`
  call.io.out(`${headline}

  ${key}

This is the only time it is shown.${end}
`)
}
