import { Failure } from '../../failure/failure.ts'

/** What the OpenAI wire has no words for is refused by its name. */
export function untranslatable(path: string, why: string): Failure {
  return new Failure('invalid-request', `${path}: ${why}`, { field: path, recovery: 'fix_request' })
}

/** Refuses every field that nobody translates, so that none is dropped unseen. */
export function refuseOthers(value: object, path: string, known: readonly string[]): void {
  for (const [name, held] of Object.entries(value)) {
    if (held === undefined || known.includes(name)) continue
    throw untranslatable(`${path}.${name}`, 'the server behind this model has nothing like it; leave it out')
  }
}
