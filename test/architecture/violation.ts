export type Rule =
  | 'unknown-part'
  | 'banned-name'
  | 'unreadable'
  | 'part-import'
  | 'package-import'
  | 'builtin-import'
  | 'outside-import'
  | 'computed-import'
  | 'public-import'
  | 'test-import'
  | 're-export'
  | 'process'
  | 'cycle'

export interface Violation {
  readonly path: string
  readonly line: number
  readonly rule: Rule
  readonly message: string
}

/** One line for people, with a place that editors can open. */
export function describeViolation({ path, line, rule, message }: Violation): string {
  return `${path}:${line}: ${rule}: ${message}`
}
