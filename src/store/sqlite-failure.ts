import { Failure, type FailureCode } from '../failure/failure.ts'
import { sqliteCode } from './sqlite-locks.ts'

/** Says in plain words why the file cannot be opened. */
export function openingFailure(error: unknown, file: string): Failure {
  const [code, problem] = reasons.get(signOf(error)) ?? ['misconfigured', 'cannot be opened']
  return new Failure(code, `the database ${file} ${problem}`, { cause: error, field: 'store' })
}

/** What a statement failed with; a disk that has no more to give is said in plain words. */
export function runningFailure(error: unknown): unknown {
  const problem = troubles.get((sqliteCode(error) ?? 0) & 0xff)
  if (problem === undefined) return error
  return new Failure('unavailable', `the database ${problem}`, { cause: error, reason: 'store_unavailable' })
}

/** The caller is told, so without the path. */
const troubles: ReadonlyMap<number, string> = new Map([
  [10, 'cannot be read or written: the disk of the server reports an error; look after it, then try again'],
  [13, 'cannot grow: the disk of the server is full; make room on it, then try again'],
])

const notPermitted = 'cannot be written: give this user write permission on the file and its folder'
const noFolder = 'has a file where its folder should be: name another path'

/** By SQLite's primary result code, or by the code of the system. */
const reasons: ReadonlyMap<number | string | undefined, readonly [FailureCode, string]> = new Map<
  number | string,
  readonly [FailureCode, string]
>([
  [8, ['misconfigured', notPermitted]],
  [14, ['misconfigured', notPermitted]],
  ['EACCES', ['misconfigured', notPermitted]],
  ['EPERM', ['misconfigured', notPermitted]],
  ['EROFS', ['misconfigured', notPermitted]],
  ['ENOTDIR', ['misconfigured', noFolder]],
  ['EEXIST', ['misconfigured', noFolder]],
  [26, ['misconfigured', 'is not a SQLite database: name another file, or move this one away']],
  [11, ['misconfigured', 'is damaged: restore it from a backup']],
  [10, ['unavailable', 'cannot be read or written: the disk reports an error']],
  [13, ['unavailable', 'cannot grow: the disk is full']],
  ['ENOSPC', ['unavailable', 'cannot be created: the disk is full']],
])

function signOf(error: unknown): number | string | undefined {
  const code = sqliteCode(error)
  if (code !== undefined) return code & 0xff
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
