/** Markup that is safe to send: made by `html` alone, which escapes what is put into it. */
export interface Html {
  readonly markup: string
}

type Part = string | number | Html | readonly Html[] | undefined

/** A template whose values are escaped, unless they are markup themselves; `undefined` leaves nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const written = parts.map((part, index) => markupOf(part) + (strings[index + 1] ?? ''))
  return { markup: (strings[0] ?? '') + written.join('') }
}

/**
 * Text that a stranger chose, such as the name of a client: on one line, cut to a length, and without the characters
 * that are invisible or turn the direction of what follows, by which one name can look like another.
 */
export function displayText(text: string, longest: number = 80): string {
  const plain = text
    .slice(0, longest * 4)
    .normalize('NFKC')
    .replace(unseen, '')
    .replace(/\s+/gu, ' ')
    .trim()
  const characters = Array.from(plain)
  return characters.length <= longest ? plain : `${characters.slice(0, longest - 1).join('')}…`
}

/** Controls but for white space, formats (bidirectional and zero-width ones), private use, lone surrogates; and marks that pile up. */
const unseen = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]|(?<=\p{M}{2})\p{M}+/gu

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function markupOf(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'object')
    return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('')
  return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
