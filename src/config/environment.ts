import { nearestText } from './nearest-text.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export type Interpolated =
  | { readonly text: string; readonly names: readonly string[]; readonly isWhole: boolean }
  | { readonly complaint: string }

const reference = /\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}"'\\\n]*)?\}/g

/** What YAML would take for its own inside `{ … }` and `[ … ]`, each with the noncharacter that stands in for it. */
const active = '{}[],#:'
const standIns = '\uFDD0\uFDD1\uFDD2\uFDD3\uFDD4\uFDD5\uFDD6'

/** Lets `[${KEY}]` be read by YAML as a list of one text; every character keeps its place, so positions stay true. */
export function protectReferences(yaml: string): string {
  return yaml.replaceAll(reference, (text) => swap(text, active, standIns))
}

export function restoreReferences(text: string): string {
  return swap(text, standIns, active)
}

/** Where a file holds one of the stand-ins itself, which no text does. */
export function strayStandIn(yaml: string): number {
  return yaml.search(/[\uFDD0-\uFDD6]/)
}

/** Puts the environment into a value that YAML has already read: what a variable holds can never become YAML. */
export function interpolate(text: string, env: Environment): Interpolated {
  const names: string[] = []
  const complaints: string[] = []
  const result = text.replaceAll(/\$\$\{|\$\{([^}]*)\}|\$\{/g, (found, inside: string | undefined) => {
    if (found === '$${') return '${'
    const [, name, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inside ?? '') ?? []
    if (name === undefined) {
      complaints.push(
        `has a "\${" that starts no reference: write \${NAME} or \${NAME:-default}, or $\${ for the two characters`,
      )
      return ''
    }
    names.push(name)
    const set = Object.hasOwn(env, name) ? env[name] : undefined
    const value = set === '' ? (fallback ?? '') : (set ?? fallback)
    if (value === undefined) complaints.push(missing(name, env))
    return value ?? ''
  })
  const [complaint] = complaints
  if (complaint !== undefined) return { complaint }
  return { text: result, names, isWhole: /^\$\{[^}]*\}$/.test(text) }
}

function swap(text: string, from: string, to: string): string {
  return Array.from(text, (character) => to[from.indexOf(character)] ?? character).join('')
}

function missing(name: string, env: Environment): string {
  const similar = nearestText(name, Object.keys(env))
  const hint = similar?.isClose === true ? `; did you mean ${similar.text}?` : ''
  return `needs the environment variable ${name}, which is not set${hint}`
}
