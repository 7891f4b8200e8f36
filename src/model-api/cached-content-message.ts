import type { Content, GenerateRequest, Tool, ToolConfig } from '../engines/content.ts'
import { isStorable } from '../store/storable-text.ts'
import { anything, type Kind, struct, text } from './json-kinds.ts'
import { list, message } from './json-message.ts'
import { readMessage } from './read-request.ts'
import { Complaints, checkContent } from './request-checks.ts'
import { content } from './request-content.ts'
import { tool, toolConfig } from './request-tools.ts'
import { duration, time } from './timestamp.ts'
import { invalidArgument } from './wire-failure.ts'

interface CachedContentMessage extends Expiration {
  readonly model?: string
  readonly displayName?: string
  readonly contents?: readonly Content[]
  readonly systemInstruction?: Content
  readonly tools?: readonly Tool[]
  readonly toolConfig?: ToolConfig
  readonly encryptionSpec?: unknown
}

interface Expiration {
  /** Both in microseconds. */
  readonly ttl?: number
  readonly expireTime?: number
}

/** What the server alone sets is passed over, because clients send back what they got. */
const cachedContentMessage: Kind<CachedContentMessage> = message(
  'CachedContent',
  {
    name: text,
    model: text,
    displayName: text,
    contents: list(content),
    systemInstruction: content,
    tools: list(tool),
    toolConfig,
    ttl: duration,
    expireTime: time,
    createTime: anything,
    updateTime: anything,
    usageMetadata: struct,
    encryptionSpec: anything,
  },
  { name: 'expiration', fields: ['ttl', 'expireTime'] },
)

/** The part of a request that is kept. */
export type KeptRequest = Pick<GenerateRequest, 'contents' | 'systemInstruction' | 'tools' | 'toolConfig'>

export interface NewCachedContent {
  readonly model: string
  readonly displayName: string
  readonly kept: KeptRequest
  readonly expiresAt: number
}

/** `now` in microseconds. */
export function readCachedContent(json: unknown, now: number): NewCachedContent {
  const found = readMessage(cachedContentMessage, json)
  const { model = '', displayName = '', contents = [], systemInstruction, tools, toolConfig: config } = found
  const complaints = new Complaints()
  if (model === '') complaints.add(`${at}.model`, 'model is not specified')
  if (!isStorable(model)) complaints.add(`${at}.model`, 'model must not hold the character U+0000.')
  if (!isStorable(displayName))
    complaints.add(`${at}.display_name`, 'display_name must not hold the character U+0000.')
  if (displayName.length > longestDisplayName)
    complaints.add(
      `${at}.display_name`,
      `display_name must not be longer than ${longestDisplayName} characters.`,
    )
  if (contents.length === 0 && systemInstruction === undefined)
    complaints.add(`${at}.contents`, 'contents is not specified')
  for (const [index, one] of contents.entries()) checkContent(one, `${at}.contents[${index}]`, complaints)
  if (systemInstruction !== undefined) checkContent(systemInstruction, `${at}.system_instruction`, complaints)
  if (found.encryptionSpec !== undefined)
    complaints.add(`${at}.encryption_spec`, 'encryption_spec is not supported here.')
  complaints.throwAny()
  return {
    model,
    displayName,
    kept: {
      contents,
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...(tools === undefined ? {} : { tools }),
      ...(config === undefined ? {} : { toolConfig: config }),
    },
    expiresAt: expiryOf(found, now) ?? now + defaultTtl,
  }
}

const at = 'CreateCachedContentRequest.cached_content'
const longestDisplayName = 128
const defaultTtl = 3600 * 1_000_000

/** When it is to expire from now on; only that can be changed. Official clients send no mask. */
export function readCachedContentUpdate(json: unknown, mask: string | undefined, now: number): number {
  const expiration = readMessage(cachedContentMessage, json)
  const fields = (mask ?? '').split(',').map((field) => field.trim().replace('expireTime', 'expire_time'))
  const other = fields.find((field) => !updatable.has(field))
  if (other !== undefined)
    throw invalidArgument(`Only ttl and expire_time can be updated, not ${other}.`, 'update_mask')
  const isNamed = (field: string): boolean =>
    mask === undefined || mask === '' || fields.includes(field) || fields.includes('*')
  const named = {
    ...(isNamed('ttl') && expiration.ttl !== undefined ? { ttl: expiration.ttl } : {}),
    ...(isNamed('expire_time') && expiration.expireTime !== undefined
      ? { expireTime: expiration.expireTime }
      : {}),
  }
  const expiresAt = expiryOf(named, now)
  if (expiresAt === undefined)
    throw invalidArgument('Give ttl or expire_time: nothing else can be updated.', 'cached_content')
  return expiresAt
}

const updatable: ReadonlySet<string> = new Set(['', '*', 'ttl', 'expire_time'])

function expiryOf({ ttl, expireTime }: Expiration, now: number): number | undefined {
  if (ttl !== undefined && !(ttl > 0 && ttl <= longestTtl))
    throw invalidArgument('ttl must be more than 0s and at most ten years.', 'cached_content.ttl')
  if (expireTime !== undefined && !(expireTime > now && expireTime <= now + longestTtl))
    throw invalidArgument(
      'expire_time must be in the future, and at most ten years away.',
      'cached_content.expire_time',
    )
  return ttl === undefined ? expireTime : now + ttl
}

const longestTtl = 3653 * 86_400 * 1_000_000
