import type { FunctionCall, FunctionResponse } from '../content.ts'
import { untranslatable } from './untranslatable.ts'

interface KnownCall {
  readonly id: string
  readonly name: string
  isAnswered: boolean
}

/**
 * The OpenAI wire ties every response to its call by an id. The Gemini wire may leave ids out: then one is made from
 * the call's place in the conversation, and a response belongs to the first open call of its name.
 */
export class CallIds {
  readonly #given: ReadonlySet<string>
  readonly #openById = new Map<string, KnownCall>()
  readonly #byName = new CallsByName()
  /** Those whose ids were made here. */
  readonly #madeByName = new CallsByName()
  #made = 0

  constructor(given: ReadonlySet<string>) {
    this.#given = given
  }

  idOfCall({ id, name }: FunctionCall, path: string): string {
    const known: KnownCall = { id: id || this.#make(), name: name ?? '', isAnswered: false }
    if (this.#openById.has(known.id))
      throw untranslatable(
        `${path}.id`,
        `another open function call has the id ${JSON.stringify(known.id)} already`,
      )
    this.#openById.set(known.id, known)
    this.#byName.add(known)
    if (!this.#given.has(known.id)) this.#madeByName.add(known)
    return known.id
  }

  /** Some clients drop the id of the call but keep that of the response. */
  idOfResponse({ id, name }: FunctionResponse, path: string): string {
    const call = id
      ? (this.#openById.get(id) ?? this.#madeByName.firstOpen(name))
      : this.#byName.firstOpen(name)
    if (call === undefined) {
      const what = id ? `the id ${JSON.stringify(id)}` : `the name ${JSON.stringify(name ?? '')}`
      throw untranslatable(path, `no open function call before it has ${what}`)
    }
    call.isAnswered = true
    this.#openById.delete(call.id)
    return call.id
  }

  /** Nine letters and digits, as some servers ask for. */
  #make(): string {
    let id: string
    do {
      id = `call${this.#made.toString(36).padStart(5, '0')}`
      this.#made += 1
    } while (this.#given.has(id))
    return id
  }
}

/** Finds the first open call of a name without a look at those before it: one request may hold very many. */
class CallsByName {
  readonly #lines = new Map<string, { readonly calls: KnownCall[]; from: number }>()

  add(call: KnownCall): void {
    const line = this.#lines.get(call.name)
    if (line === undefined) this.#lines.set(call.name, { calls: [call], from: 0 })
    else line.calls.push(call)
  }

  firstOpen(name: string | undefined): KnownCall | undefined {
    const line = name === undefined ? undefined : this.#lines.get(name)
    if (line === undefined) return undefined
    while (line.calls[line.from]?.isAnswered === true) line.from += 1
    return line.calls[line.from]
  }
}
