import { nearestText } from './nearest-text.ts'
import { keyPath, shownKey } from './problem.ts'
import type { Spot } from './reading.ts'

/** Notes a key of the mapping at this spot that the schema does not have, with the one that was probably meant. */
export function unknownKey(name: string, known: readonly string[], { reading, path, offset }: Spot): void {
  const { start, rest } = shownKey(name)
  const keyAt = { reading, path: keyPath(path, start), offset }
  const shownPath = keyAt.path + rest
  const cure =
    rest !== '' && known.includes(start)
      ? `write "${start}: …", with a space after the colon`
      : suggestion(start, known, keyAt)
  const message = `unknown key "${start}${rest}" (${shownPath}): ${cure}`
  reading.problems.push({ offset, path: shownPath, message })
}

function suggestion(name: string, known: readonly string[], at: Spot): string {
  if (name === '<<') return 'YAML 1.2 has no merge keys; write the keys out'
  const { keys } = at.reading
  const general = at.path.replaceAll(/\[\d+\]/g, '[]')
  const variants = keys.flatMap(({ path, variant }) =>
    path === general && variant !== undefined ? [variant] : [],
  )
  if (variants.length > 0) return `it belongs to ${variants.map((variant) => `"${variant}"`).join(', ')}`
  const nearest = nearestText(name, known)
  if (nearest?.isClose === true) return `did you mean "${nearest.text}"?`
  const elsewhere = keys.find(({ path }) => path.endsWith(`.${name}`))
  if (elsewhere !== undefined) return `did you mean "${elsewhere.path}"?`
  return `the nearest known key is "${nearest?.text}"; known here: ${known.join(', ')}`
}
