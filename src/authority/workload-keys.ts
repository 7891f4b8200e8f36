import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { request } from 'undici'
import { Failure } from '../failure/failure.ts'
import { guardedAgent, outboundComplaint } from '../outbound/guarded-agent.ts'
import { refusal } from './machine-answer.ts'
import type { Workload } from './workload-binding.ts'

/** The keys of workload issuers, fetched when they are needed and held for a while. */
export interface WorkloadKeys {
  readonly of: (workload: Workload) => JWTVerifyGetKey
}

export interface WorkloadKeysOptions {
  /** Plain http and private addresses. */
  readonly allowPrivate: boolean
  /** Milliseconds that never step back. */
  readonly elapsed: () => number
}

export function createWorkloadKeys(options: WorkloadKeysOptions): WorkloadKeys {
  const read = createReader(options.allowPrivate)
  const sets = new Map<string, JWTVerifyGetKey>()
  return {
    of: (workload) => {
      const name = `${workload.issuer} ${workload.jwksUri ?? ''}`
      const set = sets.get(name) ?? createKeySet(workload, read, options.elapsed)
      sets.set(name, set)
      return set
    },
  }
}

type Read = (url: URL) => Promise<unknown>

const timeoutMs = 5000
const mostBytes = 256 * 1024
/** How long a failure of the issuer is taken for granted, whatever the tokens say. */
const retryAfterMs = 5000
/** How long the place of the keys is taken for granted. */
const placeAgeMs = 3_600_000

function createKeySet(workload: Workload, read: Read, elapsed: () => number): JWTVerifyGetKey {
  let found: { readonly keys: JWTVerifyGetKey; readonly at: number } | undefined
  let failed: { readonly problem: unknown; readonly at: number } | undefined

  async function readPaced(url: URL): Promise<unknown> {
    if (failed !== undefined && elapsed() - failed.at < retryAfterMs) throw failed.problem
    try {
      return await read(url)
    } catch (problem) {
      failed = { problem, at: elapsed() }
      throw problem
    }
  }

  async function keySet(): Promise<JWTVerifyGetKey> {
    if (found !== undefined && elapsed() - found.at < placeAgeMs) return found.keys
    const place = workload.jwksUri ?? (await discover(workload.issuer, readPaced))
    const keys = createRemoteJWKSet(new URL(place), {
      timeoutDuration: timeoutMs,
      [customFetch]: async (url) => Response.json(await readPaced(new URL(url))),
    })
    found = { keys, at: elapsed() }
    return keys
  }

  return async (header, token) => {
    try {
      return await (await keySet())(header, token)
    } catch (problem) {
      if (isVerdict(problem)) throw problem
      const wrong = 'the keys of the issuer of the subject_token can not be read; try again later'
      throw refusal('temporarily_unavailable', wrong, problem)
    }
  }
}

/** The issuer has answered, and the answer is that the token is not one of its own. */
function isVerdict(problem: unknown): boolean {
  return (
    problem instanceof errors.JWKSNoMatchingKey ||
    problem instanceof errors.JWKSMultipleMatchingKeys ||
    problem instanceof errors.JOSENotSupported
  )
}

/** OpenID Connect Discovery, section 4.3: a document of another issuer must not be used. */
async function discover(issuer: string, read: Read): Promise<string> {
  const url = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const document = await read(url)
  if (!isObject(document) || document.issuer !== issuer) throw new Error(`${url.href} is not of ${issuer}`)
  const { jwks_uri: place } = document
  if (typeof place !== 'string' || !URL.canParse(place)) throw new Error(`${url.href} has no jwks_uri`)
  return place
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** A GET of JSON from an address that configuration or an issuer chose: no redirect, bounded in time and size. */
function createReader(allowPrivate: boolean): Read {
  const agent = guardedAgent({ allowPrivate })
  return async (url) => {
    const complaint = outboundComplaint(url, allowPrivate)
    if (complaint !== undefined) throw new Failure('forbidden', `${url.href} ${complaint}`)
    const answer = await request(url, {
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json' },
    })
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of answer.body) {
      const part = Buffer.from(chunk)
      bytes += part.length
      if (bytes > mostBytes) throw new Error(`${url.href} answers more than ${mostBytes} bytes`)
      chunks.push(part)
    }
    if (answer.statusCode !== 200) throw new Error(`${url.href} answered ${answer.statusCode}`)
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString())
    return value
  }
}
