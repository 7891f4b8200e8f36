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

  /** Servers differ: some leave the index out, and some give 0 to every call but each its own id, or none. */
  take(delta: JsonObject, position: number): void {
    const index = countAt(delta, 'index') ?? position
    const id = textAt(delta, 'id') ?? ''
    const named = objectAt(delta, 'function') ?? {}
    const piece = { id, name: textAt(named, 'name') ?? '', args: argumentsText(named.arguments) }
    const open = this.#calls.findLast((call) => call.index === index)
    const call = open !== undefined && belongs(piece, open) ? open : this.#begin(index)
    if (call.id === '') call.id = id
    // Some servers cut a name in two, others repeat it all the time; once arguments came, it is whole.
    if (call.args === '' && piece.name !== call.name) call.name += piece.name
    call.args += piece.args
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0
  }

  /** All calls, or what is wrong with the first bad one. */
  finished(): { readonly parts: readonly Part[] } | { readonly malformed: string } {
    const parts: Part[] = []
    const ids = new Set([''])
    for (const { id, name, args } of this.#calls) {
      const parsed = args.trim() === '' || args.trim() === 'null' ? {} : parseObject(args)
      if (name === '' || parsed === undefined) return { malformed: shortened(`${name}(${args})`) }
      // Two calls of one id could not be told apart by their responses; one without id gets a new one.
      parts.push({ functionCall: { ...(!ids.has(id) && { id }), name, args: parsed } })
      ids.add(id)
    }
    return { parts }
  }

  #begin(index: number): GrowingCall {
    const call = { index, id: '', name: '', args: '' }
    this.#calls.push(call)
    return call
  }
}

type CallPiece = Omit<GrowingCall, 'index'>

/** Where ids do not tell, a name and more arguments after whole ones are another call. */
function belongs({ id, name, args }: CallPiece, open: GrowingCall): boolean {
  if (id !== '' && open.id !== '') return id === open.id
  const isAnother = name !== '' && (args !== '' || name !== open.name)
  return !(isAnother && isWhole(open.args))
}

/** The look at the end spares most of the parsing. */
function isWhole(args: string): boolean {
  return args.trimEnd().endsWith('}') && parseObject(args) !== undefined
}

/** A text on the wire, but some servers send the object itself. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return isObject(value) ? JSON.stringify(value) : ''
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}
