import type { Part } from '../content.ts'
import { countAt, isObject, type JsonObject, objectAt, parseObject, textAt } from './values.ts'

interface GrowingCall {
  readonly index: number
  id: string
  name: string
  args: string
}

/** The tool calls of one candidate, put together from their pieces. */
export class GrowingCalls {
  readonly #calls: GrowingCall[] = []

  /** Servers differ: some leave the index out, and some give 0 to every call but each its own id. */
  take(delta: JsonObject, position: number): void {
    const index = countAt(delta, 'index') ?? position
    const id = textAt(delta, 'id') ?? ''
    const open = this.#calls.findLast((call) => call.index === index)
    const isSame = open !== undefined && (id === '' || open.id === '' || open.id === id)
    const call = isSame ? open : this.#begin(index)
    const named = objectAt(delta, 'function') ?? {}
    if (call.id === '') call.id = id
    if (call.name === '') call.name = textAt(named, 'name') ?? ''
    call.args += argumentsText(named.arguments)
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0
  }

  /** All calls, or what is wrong with the first bad one. */
  finished(): { readonly parts: readonly Part[] } | { readonly malformed: string } {
    const parts: Part[] = []
    for (const { id, name, args } of this.#calls) {
      const parsed = args.trim() === '' || args.trim() === 'null' ? {} : parseObject(args)
      if (name === '' || parsed === undefined) return { malformed: shortened(`${name}(${args})`) }
      parts.push({ functionCall: { ...(id !== '' && { id }), name, args: parsed } })
    }
    return { parts }
  }

  #begin(index: number): GrowingCall {
    const call = { index, id: '', name: '', args: '' }
    this.#calls.push(call)
    return call
  }
}

/** A text on the wire, but some servers send the object itself. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return isObject(value) ? JSON.stringify(value) : ''
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}
