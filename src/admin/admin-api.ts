import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Admission } from '../auth/admission.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import type { DecisionHook } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import { needsSecondLook } from '../auth/second-look.ts'
import { Failure } from '../failure/failure.ts'
import { useErrorRenderer } from '../http/error-boundary.ts'
import { metadataUrl, mountResourceMetadata } from '../http/resource-metadata.ts'
import type { Log } from '../log/log.ts'
import { createRareWarning } from '../log/rare-warning.ts'
import { renderBody, renderHeaders } from '../paging/render.ts'
import type { TokenCodec } from '../paging/token-codec.ts'
import { type Clock, microsecondClock, wallClock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { createReporter, type Reporter } from './decision.ts'
import { createErrorRenderer } from './errors.ts'
import type { AdminExchange } from './exchange.ts'
import { createGate, type Gate } from './gate.ts'
import { takeJsonBodies } from './json-bodies.ts'
import { mountOpenApi } from './openapi-document.ts'
import { type AdminAnswer, type Operation, scopesOf } from './operation.ts'
import { adminOperations } from './operations.ts'
import { createRequestCheck, targetOf } from './request-check.ts'
import { routeOf } from './route.ts'
import { createStreams, type Streams } from './streams.ts'

export interface AdminApiOptions {
  /** The identifier of this resource, which is the audience of its tokens: `<publicUrl>/api`. */
  readonly resource: string
  readonly publicUrl: string
  readonly authenticator: Authenticator
  /** The issuers that clients may go to; at least one. */
  readonly authorizationServers: readonly string[]
  readonly store: Store
  /** Signs cursors. */
  readonly tokens: TokenCodec
  readonly admission?: Admission | undefined
  /** Called once for each request, as soon as its answer is known; what it cannot record is not answered. */
  readonly onDecision?: DecisionHook | undefined
  readonly log: Log
  readonly now?: Clock
  readonly wall?: Clock
}

/** `/api/v1`, its OpenAPI document, and the metadata that tells a client where to get a token for it. */
export function mountAdminApi(server: FastifyInstance, options: AdminApiOptions): void {
  const { resource, log, now = microsecondClock(), wall = wallClock } = options
  const operations = adminOperations({ ...options, now, wall })
  mountResourceMetadata(server, {
    ...options,
    name: 'Postern administration API',
    documentation: `${options.publicUrl}${prefix}/openapi.json`,
    scopes: () => [...new Set(operations.flatMap(scopesOf))],
  })
  const report = createReporter(
    options.onDecision,
    createRareWarning(log, () => performance.now()),
  )
  const gate = createGate(options)
  const streams = createStreams({ log })
  server.register(
    (scope, _settings, done) => {
      useErrorRenderer(scope, createErrorRenderer(metadataUrl(resource), report))
      scope.decorateRequest('adminExchange', null)
      takeJsonBodies(scope)
      scope.addHook('onSend', async (request) => {
        const { adminExchange } = request
        if (adminExchange !== null && adminExchange.failure === undefined)
          await report(adminExchange, adminExchange.operation.status)
      })
      scope.addHook('preClose', async () => streams.stop())
      mountOpenApi(scope, { ...options, operations })
      for (const operation of operations)
        mountOperation(scope, operation, { ...options, gate, report, streams })
      done()
    },
    { prefix },
  )
}

const prefix = '/api/v1'
const bodyLimit = 64 * 1024

interface Parts extends Pick<AdminApiOptions, 'resource' | 'publicUrl'> {
  readonly gate: Gate
  readonly report: Reporter
  readonly streams: Streams
}

function mountOperation(scope: FastifyInstance, operation: Operation, parts: Parts): void {
  const check = createRequestCheck(operation)
  const base = `${parts.publicUrl}${prefix}${operation.path}`
  scope.route({
    method: operation.method,
    url: routeOf(operation.path),
    config: { access: { bearer: parts.resource } },
    exposeHeadRoute: false,
    bodyLimit,
    onRequest: async (request) => {
      const exchange = exchangeFor(operation, request)
      request.adminExchange = exchange
      await parts.gate.admit(request, exchange)
    },
    preHandler: async (request) => {
      const exchange = admitted(request)
      if (needsSecondLook(exchange.startedAt, performance.now())) await parts.gate.confirm(request, exchange)
    },
    handler: async (request, reply) => {
      const exchange = admitted(request)
      const answer = await operation.run({ ...check(request), ...exchange })
      if ('body' in answer) exchange.target ??= answer.made
      if (!('source' in answer)) return send(reply.code(operation.status), answer, base)
      await parts.streams.open(reply, {
        source: answer.source,
        principal: exchange.principal,
        // The decision is about the beginning: it is on record before the first byte.
        beforeBegin: () => parts.report(exchange, operation.status),
        identify: () => parts.gate.identify(request),
      })
      return reply
    },
  })
}

function exchangeFor(operation: Operation, { id, params }: FastifyRequest): AdminExchange {
  return {
    operation,
    startedAt: performance.now(),
    requestId: id,
    target: targetOf(operation, params),
    principal: undefined,
    owner: undefined,
    failure: undefined,
    isTold: false,
  }
}

type Admitted = AdminExchange & { readonly principal: Principal }

function admitted({ adminExchange }: FastifyRequest): Admitted {
  if (adminExchange !== null && isAdmitted(adminExchange)) return adminExchange
  throw new Failure('internal', 'a request came past the gate')
}

function isAdmitted(exchange: AdminExchange): exchange is Admitted {
  return exchange.principal !== undefined
}

type WholeAnswer = Exclude<AdminAnswer, { readonly source: unknown }>

function send(reply: FastifyReply, answer: WholeAnswer, base: string): FastifyReply {
  if ('page' in answer) return reply.headers(renderHeaders(answer.page, base)).send(renderBody(answer.page))
  if ('empty' in answer) return reply.send()
  if (answer.location !== undefined) reply.header('location', answer.location)
  return reply.send(answer.body)
}
