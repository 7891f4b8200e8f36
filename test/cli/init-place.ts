import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Workplace, workplace } from './call-postern.ts'

export const init: readonly string[] = ['init', '--yes']

/** A folder without a configuration. */
export async function emptyPlace(): Promise<Workplace> {
  const place = await workplace()
  await rm(join(place.folder, 'postern.yaml'))
  return place
}

/** What a file of the place holds. */
export function written(place: Workplace, file = 'postern.yaml'): Promise<string> {
  return readFile(join(place.folder, file), 'utf8')
}

/** What a shell would know after it has read the file with the secrets. */
export async function secretsIn(place: Workplace, file = '.env'): Promise<Readonly<Record<string, string>>> {
  const lines = (await written(place, file)).trimEnd().split('\n')
  return Object.fromEntries(lines.map((line) => /^(\w+)=(.+)$/.exec(line)?.slice(1) ?? assert.fail(line)))
}
