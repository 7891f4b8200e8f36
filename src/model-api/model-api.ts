import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Admission } from '../auth/admission.ts'
import type { CallerAuthenticator } from '../auth/caller-authenticator.ts'
import type { DecisionHook } from '../auth/decision.ts'
import { compileScopes } from '../auth/scopes.ts'
import { createCallerAddress, type FindCallerAddress } from '../config/caller-address.ts'
import { Failure } from '../failure/failure.ts'
import { announcedLength, type BodyBudget } from '../http/body-budget.ts'
import { useErrorRenderer } from '../http/error-boundary.ts'
import { metadataUrl, mountResourceMetadata } from '../http/resource-metadata.ts'
import type { Log } from '../log/log.ts'
import { createRareWarning } from '../log/rare-warning.ts'
import type { TokenCodec } from '../paging/token-codec.ts'
import { mountCachedContents } from './cached-content-routes.ts'
import { type CallReporter, createCallReporter } from './call-report.ts'
import { createEndpoint, type EndpointOptions } from './endpoint.ts'
import { createErrorRenderer, createWireErrors, type WireErrors } from './errors.ts'
import { mountFiles } from './file-routes.ts'
import { confirmLate, createGate, type Gate } from './gate.ts'
import type { GuardedRoute } from './guarded-route.ts'
import { takeJsonBodies } from './json-bodies.ts'
import { createModelLists, modelShapes, type NamedModel } from './list-models.ts'
import type { ModelTable } from './model-table.ts'
import { callerOf } from './owner.ts'
import { type CallRules, readCall } from './read-call.ts'
import type { StoredThings } from './stored-things.ts'
import { mountUploads } from './upload-routes.ts'

export interface ModelApiOptions {
  readonly publicUrl: string
  /** Those that are believed about where a request came from. */
  readonly trustedProxies: readonly string[]
  readonly vendor: string
  readonly scopeBase: string
  readonly authenticator: CallerAuthenticator
  readonly models: ModelTable
  /** Signs page tokens. */
  readonly tokens: TokenCodec
  /** The issuers whose tokens are taken; none when only keys and service accounts are. */
  readonly authorizationServers: readonly string[]
  readonly stored: StoredThings
  readonly bodyLimit: number
  /** Where the bodies under way are counted. */
  readonly bodies: BodyBudget
  readonly log: Log
  /** Called once for each request, as soon as its answer is known; what it cannot record is not answered. */
  readonly onDecision?: DecisionHook | undefined
  /** Whether a caller may do now what it may do; always, where there is none. */
  readonly admission?: Admission | undefined
}

/** The model API under all its addresses. */
export function mountModelApi(server: FastifyInstance, options: ModelApiOptions): void {
  const parts = createParts(options)
  const { resource, scopes } = parts
  if (options.authorizationServers.length > 0)
    mountResourceMetadata(server, {
      resource,
      name: 'Postern model API',
      documentation: 'https://ai.google.dev/api',
      authorizationServers: options.authorizationServers,
      scopes: () => scopes,
    })
  server.decorateRequest('modelCall', null)
  for (const version of ['v1beta', 'v1', 'v1alpha']) {
    // Vertex AI has a v1 too, under paths that the Gemini API does not use.
    mountVersion(server, parts, { version, mount: version === 'v1' ? mountBoth : mountGemini })
    mountVersion(server, parts, { version, mount: mountUpload, prefix: `/upload/${version}` })
  }
  mountVersion(server, parts, { version: 'v1beta1', mount: mountVertex })
}

interface Parts extends EndpointOptions {
  /** For all that is not the call of a model. */
  readonly plainGate: Gate
  readonly models: ModelTable
  readonly errors: WireErrors
  readonly report: CallReporter
  readonly tokens: TokenCodec
  readonly stored: StoredThings
  readonly publicUrl: string
  readonly scopes: readonly string[]
  readonly resource: string
  readonly callerAddress: FindCallerAddress
}

function createParts(options: ModelApiOptions): Parts {
  const { vendor, scopeBase, publicUrl, models, log, authorizationServers } = options
  const resource = `${publicUrl}/v1beta`
  const errors = createWireErrors({
    vendor,
    service: `generativelanguage.${vendor === 'goog' ? 'googleapis.com' : vendor}`,
    scopeBase,
    realm: publicUrl,
    ...(authorizationServers.length === 0 ? {} : { resourceMetadata: metadataUrl(resource) }),
  })
  const { authenticator, admission, onDecision } = options
  const gate = { authenticator, publicUrl, admission, scopes: compileScopes({ includes: {} }) }
  return {
    gate: createGate({ ...gate, models }),
    plainGate: createGate(gate),
    models,
    errors,
    report: createCallReporter(
      onDecision,
      createRareWarning(log, () => performance.now()),
    ),
    tokens: options.tokens,
    stored: options.stored,
    resolve: options.stored.resolveReferences,
    publicUrl,
    scopes: [`${scopeBase}/cloud-platform`, `${scopeBase}/generative-language`],
    resource,
    callerAddress: createCallerAddress(options.trustedProxies),
    bodyLimit: options.bodyLimit,
    bodies: options.bodies,
  }
}

interface Version {
  readonly version: string
  /** `/<version>` unless set. */
  readonly prefix?: string
  readonly mount: (scope: FastifyInstance, parts: Parts, rules: CallRules) => void
}

/** Each version is a scope of its own: unknown paths in it are answered on this wire too. */
function mountVersion(server: FastifyInstance, parts: Parts, { version, mount, prefix }: Version): void {
  const rules = { version, scopes: parts.scopes, callerAddress: parts.callerAddress }
  server.register(
    (scope, _settings, done) => {
      useErrorRenderer(
        scope,
        createErrorRenderer(parts.errors, {
          callOf: (request) => request.modelCall ?? { version },
          onFailure: (failure, { modelCall }, status) => {
            if (modelCall === null) return undefined
            modelCall.failure = failure
            return parts.report(modelCall, status)
          },
        }),
      )
      takeJsonBodies(scope)
      mount(scope, parts, rules)
      done()
    },
    { prefix: prefix ?? `/${version}` },
  )
}

function mountGemini(scope: FastifyInstance, parts: Parts, rules: CallRules): void {
  const lists = createModelLists(parts.models, modelShapes.gemini, parts.tokens)
  scope.post('/models/:target', calls(parts, rules), neverReached)
  scope.get('/models', guarded(parts, rules, 'listModels'), lists.list)
  scope.get<NamedModel>('/models/:name', guarded(parts, rules, 'getModel'), lists.get)
  scope.get('/tunedModels', guarded(parts, rules, 'listTunedModels'), () => ({}))
  const keeping = { ...parts, ...parts.stored, guard: (name: string) => guarded(parts, rules, name) }
  mountFiles(scope, keeping)
  mountCachedContents(scope, keeping)
}

function mountBoth(scope: FastifyInstance, parts: Parts, rules: CallRules): void {
  mountGemini(scope, parts, rules)
  mountVertex(scope, parts, rules)
}

function mountUpload(scope: FastifyInstance, parts: Parts, rules: CallRules): void {
  const { publicUrl, stored, plainGate, bodies } = parts
  mountUploads(scope, {
    ...stored,
    publicUrl,
    guard: (operation) => guarded({ ...parts, bodies: undefined }, rules, operation),
    hold: (reply, { principal }) => {
      const length = announcedLength(reply.request.raw, heldOfUpload) ?? heldOfUpload
      bodies.hold(reply.raw, principal, length)
    },
    confirm: (request) => confirmLate(plainGate, request),
    version: rules.version,
  })
}

/** An upload goes to the store piece by piece, so no more of it is held: a piece, and its copy while it is joined. */
const heldOfUpload = 2 ** 21

function mountVertex(scope: FastifyInstance, parts: Parts, rules: CallRules): void {
  const lists = createModelLists(parts.models, modelShapes.vertex, parts.tokens)
  const place = '/projects/:project/locations/:location'
  scope.post(`${place}/publishers/google/models/:target`, calls(parts, rules), neverReached)
  scope.post('/publishers/google/models/:target', calls(parts, rules), neverReached)
  scope.get('/publishers/google/models', guarded(parts, rules, 'listModels'), lists.list)
  scope.get<NamedModel>('/publishers/google/models/:name', guarded(parts, rules, 'getModel'), lists.get)
  // Nobody tunes models here: the list is empty rather than missing, because clients ask for it.
  scope.get(`${place}/models`, guarded(parts, rules, 'listTunedModels'), () => ({}))
  const keeping = { ...parts, ...parts.stored, guard: (name: string) => guarded(parts, rules, name) }
  mountCachedContents(scope, keeping, place)
}

type CallRoute = Pick<GuardedRoute, 'config' | 'onRequest'> & { readonly bodyLimit: number }

function calls(parts: Parts, rules: CallRules): CallRoute {
  return {
    config: { access: { caller: parts.resource } },
    bodyLimit: parts.bodyLimit,
    onRequest: createEndpoint(parts, rules),
  }
}

/** The endpoint answers from its hook, or refuses there. */
function neverReached(): never {
  throw new Failure('internal', 'a request came past the gate')
}

/** The parser asks for no room, so a body of unknown length is held to be as long as it may be. */
function holdWhole(bodies: BodyBudget, reply: FastifyReply): void {
  const { raw, routeOptions, modelCall } = reply.request
  const limit = routeOptions.bodyLimit ?? 0
  const { principal } = callerOf({ modelCall })
  bodies.hold(reply.raw, principal, announcedLength(raw, limit) ?? limit)
}

/** What needs no room for its body has no `bodies`. */
type GuardParts = Pick<Parts, 'plainGate' | 'resource' | 'report'> & {
  readonly bodies: BodyBudget | undefined
}

/** For what Fastify serves: the same gate, and its decision before the answer goes out. */
function guarded(parts: GuardParts, rules: CallRules, operation: string): GuardedRoute {
  const { plainGate, resource, report, bodies } = parts
  return {
    config: { access: { caller: resource } },
    onRequest: (request, reply, done) => {
      const call = readCall(request, rules, operation)
      request.modelCall = call
      const hold = (): void => {
        if (bodies !== undefined) holdWhole(bodies, reply)
      }
      const admit = (): void => done()
      const refuse = (error: Error): void => done(error)
      const pending = plainGate.admit(request, call)
      if (pending === undefined) {
        hold()
        admit()
      } else pending.then(hold).then(admit, refuse)
    },
    preHandler: (request, _reply, done) => {
      const pending = confirmLate(plainGate, request)
      const proceed = (): void => done()
      if (pending === undefined) proceed()
      else pending.then(proceed, done)
    },
    onSend: (request, reply, ...[, done]) => {
      const { modelCall } = request
      const recorded = modelCall === null ? undefined : report(modelCall, reply.statusCode)
      const release = (): void => done()
      if (recorded === undefined) release()
      else recorded.then(release, done)
    },
  }
}
