import type { UpstreamRight } from '../config/upstream-rights.ts'
import { Failure } from '../failure/failure.ts'
import type { Operation, WireCall, WireEngine, WireSink } from './engine.ts'
import { geminiLimits, pathEnd } from './gemini-engine.ts'
import { prepareBodies } from './upstream-rights.ts'
import { type AccessToken, defaultCredentials, tokenInTime } from './vertex-credentials.ts'
import { tryRepeatedly } from './wire-attempts.ts'
import { createWireUpstream, type WireUpstreamOptions } from './wire-upstream.ts'

export interface VertexOptions extends Omit<WireUpstreamOptions, 'origin'> {
  readonly project: string
  readonly location: string
  /** Its name there. */
  readonly model: string
  /** Another place that speaks the same API. */
  readonly baseUrl?: string
  /** How often a call is tried again before its answer begins. */
  readonly retries: number
  /** What callers may have the upstream do with our credentials, besides answering. */
  readonly allow?: readonly UpstreamRight[]
  /** The access token to send; by Application Default Credentials unless given. */
  readonly accessToken?: AccessToken
}

/** A model of Vertex AI: our credentials, the caller's bytes. */
export function createVertexEngine(options: VertexOptions): WireEngine {
  const { origin, pathname } = new URL(options.baseUrl ?? vertexUrl(options.location))
  const upstream = createWireUpstream({ ...options, origin })
  const collection = `projects/${options.project}/locations/${options.location}/publishers/google/models`
  const prepare = prepareBodies({ ...options, collection })
  const accessToken = options.accessToken ?? defaultCredentials(options.project)
  const place = `projects/${encodeURIComponent(options.project)}/locations/${encodeURIComponent(options.location)}`
  const model = `publishers/google/models/${encodeURIComponent(options.model)}:`
  const prefix = `${pathname.replace(/\/+$/, '')}/v1beta1/${place}/${model}`

  async function forward(call: WireCall, sink: WireSink): Promise<void> {
    const token = await tokenInTime(accessToken, { name: options.name, caller: call.caller })
    const headers = ['content-type', 'application/json', 'authorization', `Bearer ${token}`]
    const order = { path: prefix + pathEnd(call), headers, body: call.body, caller: call.caller }
    tryRepeatedly({ upstream, order }, options, sink)
  }

  return {
    kind: 'wire',
    operations: vertexOperations,
    limits: geminiLimits,
    version: options.model,
    close: upstream.close,
    forward: (call, sink) => {
      const body = prepare(call)
      if (body instanceof Failure) sink.fail(body, undefined)
      else forward({ ...call, body }, sink).catch((error: unknown) => sink.fail(asFailure(error), undefined))
    },
  }
}

/** Embeddings have another shape there. */
const vertexOperations: ReadonlySet<Operation> = new Set<Operation>([
  'generateContent',
  'streamGenerateContent',
  'countTokens',
])

/** As the official clients choose it. */
export function vertexUrl(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com'
  const place = encodeURIComponent(location)
  return multiRegions.has(location)
    ? `https://aiplatform.${place}.rep.googleapis.com`
    : `https://${place}-aiplatform.googleapis.com`
}

const multiRegions: ReadonlySet<string> = new Set(['us', 'eu'])

function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('internal', 'unexpected error', { cause: error })
}
