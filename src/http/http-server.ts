import type { ServerOptions } from 'node:http'
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify'
import type { Log } from '../log/log.ts'
import { declareAccess } from './access.ts'
import { admitOrigin } from './cross-origin.ts'
import { errorBoundary, useErrorRenderer } from './error-boundary.ts'
import { answerExpectations } from './expectations.ts'
import { lazyLog } from './lazy-log.ts'
import { createLinger, type LingerLimits } from './linger.ts'
import type { OriginGuard } from './origin-guard.ts'
import { renderProblem } from './problem.ts'
import { createRequestIds } from './request-id.ts'
import { RequestLog } from './request-log.ts'
import { refuseOnSocket } from './socket-errors.ts'
import { takeJson } from './take-json.ts'
import { collectMethods, refuseUnknownRoutes } from './unknown-route.ts'
import { cutUnreadAnswers } from './unread-answers.ts'
import { endIfUnread, type UnreadRules } from './unread-body.ts'

export interface HttpServerOptions {
  readonly log: Log
  readonly guard: OriginGuard
  readonly bodyLimitBytes: number
  readonly headersTimeoutSeconds: number
  readonly requestTimeoutSeconds: number
  readonly keepAliveTimeoutSeconds: number
  readonly maxConnections?: number | undefined
  /** Of what is left of a body behind its answer. */
  readonly linger?: LingerLimits
}

/** What every surface stands on: limits, ids, guards, default deny and one error boundary; no route yet. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { guard, log } = options
  const ids = createRequestIds()
  const toProblem = errorBoundary(renderProblem)
  const { bodyLimitBytes } = options
  const linger = createLinger(options.linger)
  const server: FastifyInstance = fastify({
    ...limits(options),
    loggerInstance: lazyLog(log),
    logController: new RequestLog(),
    genReqId: ids,
    // A model's name of 128 characters with its operation behind it is one parameter.
    routerOptions: { maxParamLength: 256 },
    trustProxy: false,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // A value of the wrong kind or a field that is not known is the caller's mistake, not ours to mend.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    return503OnClosing: false,
    clientErrorHandler: refuseOnSocket(log, ids),
    frameworkErrors: (error, request, reply) => {
      setAnswerHeaders(request, reply)
      // Such a request has no route to ask.
      endIfUnread(request, reply, { linger, limitOf: () => bodyLimitBytes })
      toProblem(error, request, reply)
      request.log.debug({ method: request.method, status: reply.statusCode }, 'request')
    },
  })
  server.removeContentTypeParser('text/plain')
  takeJson(server, server.getDefaultJsonParser('error', 'error'))
  declareAccess(server)
  const allowedMethods = collectMethods(server)
  const refuseUnknown = refuseUnknownRoutes(allowedMethods)
  server.addHook('onRequest', (request, reply, done) => {
    setAnswerHeaders(request, reply)
    const refused = guard.check(request)
    if (refused !== undefined) done(refused)
    else if (!admitOrigin(request, reply, allowedMethods)) done(refuseUnknown(request, reply))
  })
  const unread: UnreadRules = {
    linger,
    limitOf: ({ routeOptions }) => Math.max(bodyLimitBytes, routeOptions.bodyLimit ?? 0),
  }
  server.addHook('onSend', (request, reply, ...[, done]) => {
    endIfUnread(request, reply, unread)
    done()
  })
  useErrorRenderer(server, renderProblem)
  answerExpectations(server)
  cutUnreadAnswers(server, options)
  limitConnections(server, options)
  return server
}

type Limits = Pick<FastifyServerOptions, 'bodyLimit' | 'requestTimeout' | 'keepAliveTimeout'> & {
  http: ServerOptions
}

function limits(options: HttpServerOptions): Limits {
  const requestTimeout = options.requestTimeoutSeconds * 1000
  const headersTimeout = Math.min(options.headersTimeoutSeconds * 1000, requestTimeout)
  return {
    bodyLimit: options.bodyLimitBytes,
    requestTimeout,
    keepAliveTimeout: options.keepAliveTimeoutSeconds * 1000,
    http: {
      headersTimeout,
      requestTimeout,
      // Node looks for late connections only this often; its default of 30 s would be the real time-out.
      connectionsCheckingInterval: Math.min(Math.max(headersTimeout / 4, 50), 2000),
      // The guard refuses a missing Host with a body that says so; Node's own answer is empty.
      requireHostHeader: false,
    },
  }
}

/** A handler that may be cached sets its own cache-control. */
function setAnswerHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
  reply.header('cache-control', 'no-store')
}

function limitConnections(server: FastifyInstance, { log, maxConnections }: HttpServerOptions): void {
  if (maxConnections === undefined) return
  server.server.maxConnections = maxConnections
  let isWarned = false
  server.server.on('drop', () => {
    if (isWarned) return
    isWarned = true
    log.warn(
      { max_connections: maxConnections },
      'connections are being refused: server.maxConnections is reached',
    )
    setTimeout(() => {
      isWarned = false
    }, warnAgainAfterMs).unref()
  })
}

const warnAgainAfterMs = 60_000
