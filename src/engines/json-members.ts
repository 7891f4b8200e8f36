import { mostValues } from '../config/most-values.ts'

/** A member of an object, as a walk comes to it. */
export interface Member {
  readonly name: string
  /** Its value is `null` or an empty text. */
  readonly isUnset: boolean
  /** Its value, if that is a text; to be asked while the member is visited. */
  readonly text: () => MemberText | undefined
}

export interface MemberText {
  readonly meant: string
  /** Where it stands, with its quotes. */
  readonly start: number
  readonly end: number
}

/** Called for each member; what it answers is the place of the members inside. */
type Visit<Place> = (member: Member, place: Place) => Place

/**
 * Goes through the text of a JSON value without making it, and so sees every member, also those that have the same name.
 * What is not JSON to the letter is a SyntaxError: others may read it in a way of their own. Names may be decoded as Latin-1.
 */
export function walkMembers<Place>(text: string, root: Place, visit: Visit<Place>): void {
  new Walk(text, visit).whole(root)
}

/** Levels of objects and lists; more than any schema of a function has. */
const deepest = 500

class Walk<Place> {
  readonly #text: string
  readonly #visit: Visit<Place>
  #at = 0
  #depth = 0
  #values = 0

  constructor(text: string, visit: Visit<Place>) {
    this.#text = text
    this.#visit = visit
  }

  whole(root: Place): void {
    this.#value(root)
    if (!Number.isNaN(this.#next())) throw notJson(this.#at)
  }

  #value(place: Place): void {
    this.#values += 1
    if (this.#values > mostValues) throw new SyntaxError(`It may hold at most ${mostValues} values.`)
    const code = this.#next()
    if (code === openBrace) this.#object(place)
    else if (code === openBracket) this.#list(place)
    else if (code === quote) this.#string()
    else this.#word()
  }

  #object(place: Place): void {
    if (this.#enter(closeBrace)) return
    do {
      if (this.#next() !== quote) throw notJson(this.#at)
      const name = this.#meant()
      if (!this.#takes(colon)) throw notJson(this.#at)
      const isUnset = this.#isUnset(this.#next())
      this.#value(this.#visit({ name, isUnset, text: this.#peek }, place))
    } while (this.#takes(comma))
    this.#leave(closeBrace)
  }

  #isUnset(code: number): boolean {
    if (code === quote) return this.#text.charCodeAt(this.#at + 1) === quote
    return code === smallN && this.#text.startsWith('null', this.#at)
  }

  #list(place: Place): void {
    if (this.#enter(closeBracket)) return
    do this.#value(place)
    while (this.#takes(comma))
    this.#leave(closeBracket)
  }

  /** True when it is empty, and left again. */
  #enter(close: number): boolean {
    this.#at += 1
    this.#depth += 1
    if (this.#depth > deepest) throw new SyntaxError(`It nests deeper than ${deepest} levels.`)
    if (this.#next() !== close) return false
    this.#leave(close)
    return true
  }

  #leave(close: number): void {
    if (!this.#takes(close)) throw notJson(this.#at)
    this.#depth -= 1
  }

  readonly #peek = (): MemberText | undefined => {
    const start = this.#at
    if (this.#text.charCodeAt(start) !== quote) return undefined
    const meant = this.#meant()
    const end = this.#at
    this.#at = start
    return { meant, start, end }
  }

  /** The text that begins here, as it is meant. */
  #meant(): string {
    const start = this.#at
    this.#string()
    const raw = this.#text.slice(start, this.#at)
    return raw.includes('\\') ? unescaped(raw, start) : raw.slice(1, -1)
  }

  #string(): void {
    let end = this.#at
    do {
      end = this.#text.indexOf('"', end + 1)
      if (end === -1) throw notJson(this.#text.length)
    } while (this.#isEscaped(end))
    this.#at = end + 1
  }

  #isEscaped(at: number): boolean {
    let backslashes = 0
    while (this.#text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1
    return backslashes % 2 === 1
  }

  #word(): void {
    word.lastIndex = this.#at
    if (!word.test(this.#text)) throw notJson(this.#at)
    this.#at = word.lastIndex
  }

  #takes(code: number): boolean {
    if (this.#next() !== code) return false
    this.#at += 1
    return true
  }

  /** The next character that is no white space; not a number at the end. */
  #next(): number {
    let code = this.#text.charCodeAt(this.#at)
    if (code > 32) return code
    while (code === 32 || code === 10 || code === 13 || code === 9) {
      this.#at += 1
      code = this.#text.charCodeAt(this.#at)
    }
    return code
  }
}

const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const quote = 34
const comma = 44
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const smallN = 110
const openBrace = 123
const closeBrace = 125

function unescaped(raw: string, at: number): string {
  try {
    return String(JSON.parse(raw))
  } catch {
    throw notJson(at)
  }
}

function notJson(at: number): SyntaxError {
  return new SyntaxError(`It is no JSON at position ${at}.`)
}
