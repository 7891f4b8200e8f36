import { appendFileSync } from 'node:fs'
import { describeFindings, type Finding, type Haystack, searchSecrets } from './secret-search.ts'
import type { Secret } from './secret-search-forms.ts'
import { searchShapes } from './secret-search-shapes.ts'

/** Remembers a secret that this process has made or been given; all are searched for when it ends. */
export function noteSecret(kind: string, text: unknown): void {
  if (typeof text === 'string' && text !== '' && !secrets.has(text)) secrets.set(text, kind)
}

/** The same for what an answer shows once: tokens, keys, client secrets, wherever they are in it. */
export function noteSecretsIn(answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) return
  for (const [name, value] of Object.entries(answer)) {
    const kind = shownOnce.get(name)
    if (kind !== undefined) noteSecret(kind, value)
    else noteSecretsIn(value)
  }
}

export function notedSecrets(): readonly Secret[] {
  return [...secrets].map(([text, kind]) => ({ kind, text }))
}

/** What a program has written: it is searched when this process ends, and a finding fails the test file. */
export function watchOutput(name: string, read: () => string): void {
  searchAtExit()
  outputs.push({ name, read })
}

/** What is about to be removed. */
export function watchContent(haystacks: readonly Haystack[]): void {
  searchAtExit()
  contents.push(...haystacks)
  waiting += haystacks.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (waiting > mostWaiting) search()
}

/** What the search has taken since then, which is told at the end of the run. */
export function noteTime(start: number): void {
  tally.milliseconds += performance.now() - start
}

const secrets = new Map<string, string>()
const outputs: { readonly name: string; readonly read: () => string }[] = []
const contents: Haystack[] = []
const findings: Finding[] = []
const tally = { places: 0, bytes: 0, milliseconds: 0 }
let waiting = 0
let isListening = false

/** More than this is not kept in memory until the end. */
const mostWaiting = 32 * 2 ** 20

const shownOnce: ReadonlyMap<string, string> = new Map([
  ['access_token', 'an access token'],
  ['refresh_token', 'a refresh token'],
  ['id_token', 'an ID token'],
  ['client_secret', 'a client secret'],
  ['registration_access_token', 'a registration token'],
  ['key', 'an API key'],
  ['private_key', 'a private key'],
])

function searchAtExit(): void {
  if (isListening) return
  isListening = true
  process.on('exit', () => {
    contents.push(...outputs.map(({ name, read }) => ({ name, bytes: Buffer.from(read()) })))
    search()
    report()
  })
}

function search(): void {
  const start = performance.now()
  const batch = contents.splice(0)
  waiting = 0
  findings.push(...searchSecrets(notedSecrets(), batch), ...searchShapes(batch))
  tally.places += batch.length
  tally.bytes += batch.reduce((sum, { bytes }) => sum + bytes.length, 0)
  noteTime(start)
}

function report(): void {
  const file = process.env.POSTERN_TEST_SECRETS
  if (file !== undefined)
    appendFileSync(
      file,
      `${JSON.stringify({ ...tally, secrets: secrets.size, findings: findings.length })}\n`,
    )
  if (findings.length === 0) return
  console.error(`a secret was found where none may be:\n${describeFindings(findings)}`)
  process.exitCode = 1
}
