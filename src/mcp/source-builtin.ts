import { Type } from 'typebox'
import { defineTool } from './define-tool.ts'
import { modelTools } from './source-builtin-models.ts'
import type { TextModels } from './text-models.ts'
import type { Tool } from './tool.ts'
import { errorResult } from './tool-result.ts'
import type { ToolSource } from './tool-source.ts'

export interface BuiltinOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly models?: TextModels | undefined
  /** For a tool, or `*`, the scopes that a call needs; tools that need a model are offered only if they are given some. */
  readonly scopes?: Readonly<Record<string, readonly string[]>>
}

/** The tools that come with Postern. */
export function builtinSource({ now = Date.now, models, scopes = {} }: BuiltinOptions = {}): ToolSource {
  const tools = [echo(), time(now), ...(models === undefined ? [] : modelTools({ models, scopes }))]
  return { name: 'builtin', tools: () => tools, onChange: () => undefined, close: async () => undefined }
}

const harmless = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const

function echo(): Tool {
  return defineTool({
    name: 'echo',
    description: 'Answers with the text it was given.',
    scopes: [],
    annotations: harmless,
    input: Type.Object({ text: Type.String() }, { additionalProperties: false }),
    run: ({ text }) => text,
  })
}

function time(now: () => number): Tool {
  return defineTool({
    name: 'time',
    description: 'The time now, in UTC and in a time zone.',
    scopes: [],
    annotations: harmless,
    input: Type.Object(
      {
        zone: Type.Optional(
          Type.String({
            maxLength: 64,
            description: 'A time zone of the IANA database, such as Europe/Berlin. UTC unless given.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({ utc: Type.String(), zone: Type.String(), local: Type.String() }),
    run: ({ zone = 'UTC' }) => {
      const date = new Date(now())
      const local = localTime(date, zone)
      if (local === undefined)
        return errorResult('zone must be a name of the IANA time zone database, such as Europe/Berlin')
      return { utc: date.toISOString(), zone, local }
    },
  })
}

/** As in RFC 3339, with the offset of the zone; nothing if there is no such zone. */
function localTime(date: Date, zone: string): string | undefined {
  try {
    const clock = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    })
    const named = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    const offset = named.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value
    return `${clock.format(date).replace(' ', 'T')}${offset?.replace('GMT', '') || '+00:00'}`
  } catch {
    return undefined
  }
}
