import type { ApiKeyOrder, NewApiKey } from '../client/api/api-key.ts'
import { Failure } from '../failure/failure.ts'
import { keyPart } from './api-keys-kept.ts'
import { type Call, type Command, hasFlag, onlyWord, printJson, textOption, textOptions } from './command.ts'
import { readDuration } from './duration.ts'
import { shownText } from './terminal-text.ts'
import { placeOptions, withPart } from './two-ways.ts'
import { minuteOf } from './wire-time.ts'

const jsonOption = {
  type: 'boolean',
  description: 'Print the key and all that is known of it as JSON.',
} as const

export const apiKeysCreate: Command = {
  name: 'keys create',
  group: 'API keys',
  summary: 'make an API key of the model API, and show it this once',
  options: {
    ...placeOptions,
    name: { type: 'string', placeholder: 'NAME', description: 'What the key is for.' },
    principal: {
      type: 'string',
      placeholder: 'WHO',
      description: 'Whom it acts for (default its name, which no other key may be for then).',
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
      description: 'Where it may be used from, such as 203.0.113.0/24 (default everywhere).',
    },
    expires: {
      type: 'string',
      placeholder: 'TIME',
      description: 'How long it works: 45s, 30m, 12h or 30d (default for good).',
    },
    json: jsonOption,
  },
  details: [
    'Only a hash of the key is stored: a lost key cannot be shown again, but replaced.',
    'Keys for one principal share their files, caches and limits.',
    'Behind a proxy --address needs server.trustedProxies, which names the proxy.',
  ].join('\n'),
  example: 'postern keys create --name nightly --model "gemini-*" --address 203.0.113.0/24 --expires 30d',
  run: async (call) => {
    const order = keyOrder(call)
    const made = await withPart(call, keyPart, ({ createKey }) => createKey(order))
    show(call, made, `Created ${made.id}, a key for ${made.principal}.`)
    return 0
  },
}

export const apiKeysRotate: Command = {
  name: 'keys rotate',
  group: 'API keys',
  summary: 'make a key with the rights of another, which ends after an overlap',
  words: 'ID',
  options: {
    ...placeOptions,
    overlap: {
      type: 'string',
      placeholder: 'TIME',
      description: 'How long the old key goes on working: 0s, 30m, 12h or 7d (default 1h).',
    },
    json: jsonOption,
  },
  example: 'postern keys rotate 019a8e0c-5f2b-7c41-9a3e-6d1f0b2c4e58 --overlap 1h',
  run: async (call) => {
    const id = onlyWord(call, 'key, by its id')
    const overlap = textOption(call, 'overlap') ?? '1h'
    const seconds = readDuration(overlap, '--overlap')
    const made = await withPart(call, keyPart, ({ rotateKey }) => rotateKey(id, { overlap_seconds: seconds }))
    const rest = seconds === 0 ? 'is revoked' : `works for another ${overlap}`
    show(call, made, `Created ${made.id} in place of ${id}, which ${rest}.`)
    return 0
  },
}

function keyOrder(call: Call): ApiKeyOrder {
  const name = textOption(call, 'name')
  if (name === undefined)
    throw new Failure('invalid-request', 'name what the key is for, with --name NAME; lists show it')
  const expires = textOption(call, 'expires')
  const principal = textOption(call, 'principal')
  return {
    name,
    ...(principal === undefined ? {} : { principal }),
    models: listOption(call, 'model'),
    scopes: listOption(call, 'scope'),
    addresses: listOption(call, 'address'),
    expires_at: expires === undefined ? null : timeIn(readDuration(expires, '--expires')),
  }
}

/** Null when it was not given at all: then there is no limit. */
function listOption(call: Call, name: string): readonly string[] | null {
  const given = textOptions(call, name)
  return given.length === 0 ? null : given
}

function timeIn(seconds: number): string {
  const time = new Date(Date.now() + seconds * 1000)
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999)
    throw new Failure('invalid-request', '--expires is too far ahead; leave it out for a key without an end')
  return time.toISOString()
}

function show(call: Call, made: NewApiKey, headline: string): void {
  const { id, key, ...rest } = made
  if (hasFlag(call, 'json')) {
    printJson(call, { id, key, ...rest })
    return
  }
  const end = made.expires_at === null ? '' : ` It works until ${minuteOf(made.expires_at)}.`
  const text = `${headline}

  ${key}

This is the only time it is shown.${end}
`
  call.io.out(shownText(text, call.io.screen() !== undefined))
}
