import type { TokenRoles } from './token-roles.ts'
import { beginning, ending } from './vocabulary.ts'

/** What a script wants next; `pick` is answered with a token, which is not written yet. */
export type Demand =
  | { readonly kind: 'pick'; readonly isAllowed?: (token: number) => boolean }
  | { readonly kind: 'put'; readonly tokens: readonly number[] }

/** Says step by step what may be written; returns when the answer is complete. */
export type Script<Result = void> = Generator<Demand, Result, number>

/** What a script may look at. */
export interface Desk {
  readonly roles: TokenRoles
  readonly encode: (text: string) => readonly number[]
  /** How many tokens may still be written. */
  readonly left: () => number
}

/** The model writes as it likes until it says that the text is over. */
export function* writeFreely(): Script {
  for (;;) {
    const token = yield { kind: 'pick' }
    if (token === beginning || token === ending) return
    yield { kind: 'put', tokens: [token] }
  }
}

/** The model picks one of the texts, token by token among those that lead to one of them. */
export function* writeChoice(texts: readonly string[], { roles, encode }: Desk): Script<string> {
  let open = texts.map((text) => ({ text, tokens: encode(text) }))
  for (let at = 0; ; at += 1) {
    const [first] = open
    if (first === undefined) throw new RangeError('a choice needs at least one text')
    if (open.length === 1) {
      yield { kind: 'put', tokens: first.tokens.slice(at) }
      return first.text
    }
    const finished = open.find(({ tokens }) => tokens.length === at)
    const next = new Set(open.map(({ tokens }) => tokens[at]))
    const isAllowed = (id: number): boolean =>
      next.has(id) || (finished !== undefined && roles.isEnd[id] === 1)
    const token = yield { kind: 'pick', isAllowed }
    if (finished !== undefined && !next.has(token)) return finished.text
    yield { kind: 'put', tokens: [token] }
    open = open.filter(({ tokens }) => tokens[at] === token)
  }
}
