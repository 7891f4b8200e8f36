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
  readonly #calls: KnownCall[] = []
  readonly #given: ReadonlySet<string>
  #made = 0

  constructor(given: ReadonlySet<string>) {
    this.#given = given
  }

  idOfCall({ id, name }: FunctionCall, path: string): string {
    const known: KnownCall = { id: id || this.#make(), name: name ?? '', isAnswered: false }
    if (this.#calls.some((call) => call.id === known.id && !call.isAnswered))
      throw untranslatable(
        `${path}.id`,
        `another open function call has the id ${JSON.stringify(known.id)} already`,
      )
    this.#calls.push(known)
    return known.id
  }

  idOfResponse({ id, name }: FunctionResponse, path: string): string {
    const open = this.#calls.filter(({ isAnswered }) => !isAnswered)
    const call = id
      ? (open.find((known) => known.id === id) ?? open.find((known) => this.#isMade(known, name)))
      : open.find((known) => known.name === name)
    if (call === undefined) {
      const what = id ? `the id ${JSON.stringify(id)}` : `the name ${JSON.stringify(name ?? '')}`
      throw untranslatable(path, `no open function call before it has ${what}`)
    }
    call.isAnswered = true
    return call.id
  }

  /** Some clients drop the id of the call but keep that of the response. */
  #isMade(call: KnownCall, name: string | undefined): boolean {
    return !this.#given.has(call.id) && call.name === name
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
