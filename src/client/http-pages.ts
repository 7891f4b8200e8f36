import { ClientError } from './client-error.ts'
import { type HttpOptions, jsonClient } from './json-request.ts'
import type { PageSource, SourcePage } from './page-source.ts'

/** Reads each record; without it the items are `unknown`. */
export interface ItemParser<T> {
  readonly parse: (item: unknown) => T
}

/** What one paging style asks for and how it reads the answer. */
export interface PagingStyle {
  /** The parameters of a page; null removes one. */
  readonly parameters: (position: string | null) => Readonly<Record<string, string | null>>
  readonly read: (body: Envelope, position: string | null, refuse: Refuse) => SourcePage<unknown>
}

export type Envelope = Readonly<Record<string, unknown>>

/** Throws the error that says what is wrong with an answer. */
export type Refuse = (problem: string) => never

/** The pages of a list over HTTP; `url` is absolute, and parameters that it has are kept. */
export function httpPages<T>(
  url: string | URL,
  options: HttpOptions & ItemParser<T>,
  style: PagingStyle,
): PageSource<T> {
  const list = parseUrl(url)
  const getJson = jsonClient(options)
  return async (position, signal) => {
    const body = await getJson({ url: pageUrl(list, style.parameters(position)), position, signal })
    const refuse: Refuse = (problem) => {
      const message = `GET ${list.origin}${list.pathname} answered with an unexpected body: ${problem}`
      throw new ClientError('unexpected_body', message, { position })
    }
    const page = style.read(isEnvelope(body) ? body : refuse('it must be a JSON object'), position, refuse)
    return { ...page, items: parseItems(page.items, options.parse, position) }
  }
}

export function listField(body: Envelope, name: string, refuse: Refuse): readonly unknown[] {
  const value = body[name]
  if (!Array.isArray(value)) return refuse(`"${name}" must be an array`)
  return value
}

/** A count that may be absent or null. */
export function countField(body: Envelope, name: string, refuse: Refuse): number | undefined {
  const value = body[name] ?? undefined
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    return refuse(`"${name}" must be a whole number, 0 or more`)
  return value
}

function parseUrl(url: string | URL): URL {
  const parsed = URL.parse(url)
  if (parsed === null) throw new ClientError('invalid_option', 'the URL of a list must be absolute')
  if (parsed.username !== '' || parsed.password !== '')
    throw new ClientError('invalid_option', 'a URL must not hold credentials: put them into `headers`')
  return parsed
}

function pageUrl(list: URL, parameters: Readonly<Record<string, string | null>>): URL {
  const url = new URL(list)
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url
}

function isEnvelope(body: unknown): body is Envelope {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
}

function parseItems<T>(
  items: readonly unknown[],
  parse: (item: unknown) => T,
  position: string | null,
): readonly T[] {
  return items.map((item, index) => {
    try {
      return parse(item)
    } catch (cause) {
      throw new ClientError('invalid_item', `item ${index} of the page was refused by \`parse\``, {
        position,
        cause,
      })
    }
  })
}
