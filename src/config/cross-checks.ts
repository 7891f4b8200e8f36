import { authorityChecks } from './authority-checks.ts'
import { fallbackChecks } from './fallback-checks.ts'
import { limitChecks } from './limit-checks.ts'
import { type Cell, type Complaint, column, list, pick, repeated } from './partial-config.ts'
import { keyPath } from './problem.ts'
import { derivedUrl, gatewayListener } from './public-url.ts'

/** Rules over several keys. They see the file as far as it was read, so any value may be missing or refused. */
export function crossChecks(config: unknown): Complaint[] {
  return rules.flatMap((rule) => rule(config))
}

const rules: readonly ((config: unknown) => Complaint[])[] = [
  (config) => repeated(column(config, 'issuers', 'issuer')),
  (config) => repeated(column(config, 'models', 'name')),
  (config) => repeated(column(pick(config, 'tools'), 'sources', 'name'), 'tools.'),
  (config) => overlapping(column(pick(config, 'tools'), 'sources', 'name')),
  (config) =>
    repeated(list(pick(config, 'paging', 'keys')).map((key, index) => [`paging.keys[${index}]`, key])),
  (config) => builtinSources(list(pick(config, 'tools', 'sources'))),
  (config) => list(pick(config, 'issuers')).flatMap(introspection),
  (config) => ownIssuer(column(config, 'issuers', 'issuer'), pick(config, 'server')),
  (config) => ports(pick(config, 'server')),
  (config) => timeouts(pick(config, 'server')),
  (config) => aliases(pick(config, 'aliases'), list(pick(config, 'models'))),
  fallbackChecks,
  limitChecks,
  authorityChecks,
]

/** Tools are named `source_tool`: with such names one source could take over the tools of another. */
function overlapping(names: readonly Cell[]): Complaint[] {
  return names.flatMap(([path, name]) => {
    const other = names.find(([, each]) => typeof each === 'string' && String(name).startsWith(`${each}_`))
    if (other === undefined) return []
    const complaint = `begins with the name of another source, ${String(other[1])}; give it a name that does not`
    return [{ path: `tools.${path}`, complaint }]
  })
}

function builtinSources(sources: readonly unknown[]): Complaint[] {
  const places = sources.flatMap((source, index) =>
    pick(source, 'kind') === 'builtin' ? [`tools.sources[${index}]`] : [],
  )
  return places.slice(1).map((path) => ({
    path,
    complaint: `is a second source of kind builtin; ${places[0]} has the same tools`,
  }))
}

function introspection(issuer: unknown, index: number): Complaint[] {
  const path = `issuers[${index}]`
  const isAsked = pick(issuer, 'validate') === 'introspection'
  const isDescribed = pick(issuer, 'introspection') !== undefined
  if (isAsked && !isDescribed) {
    return [
      {
        path: `${path}.validate`,
        complaint:
          'is introspection, so the issuer also needs "introspection": { url, clientId, clientSecret }',
      },
    ]
  }
  if (isDescribed && pick(issuer, 'validate') === 'jwt') {
    return [
      {
        path: `${path}.introspection`,
        complaint: 'is only used with "validate: introspection", and this issuer has "validate: jwt"',
      },
    ]
  }
  return []
}

/** Keys and service accounts are known as principals of publicUrl: its issuer could make anybody one of them. */
function ownIssuer(issuers: readonly Cell[], server: unknown): Complaint[] {
  const own = bareUrl(publicUrlOf(server))
  if (own === undefined) return []
  return issuers
    .filter(([, issuer]) => bareUrl(issuer) === own)
    .map(([path]) => ({
      path,
      complaint:
        'must differ from server.publicUrl, in whose name the gateway knows its API keys and service accounts; name the authorization server by a URL of its own',
    }))
}

function publicUrlOf(server: unknown): unknown {
  const [written, host, port] = ['publicUrl', 'host', 'port'].map((key) => pick(server, key))
  if (written !== undefined || typeof host !== 'string' || typeof port !== 'number') return written
  const derived = derivedUrl(gatewayListener, { host, port })
  return 'url' in derived ? derived.url : undefined
}

/** Those of some issuers end in a slash. */
function bareUrl(text: unknown): string | undefined {
  return typeof text === 'string' ? URL.parse(text)?.href.replace(/\/$/, '') : undefined
}

function ports(server: unknown): Complaint[] {
  const [port, opsPort] = [pick(server, 'port'), pick(server, 'opsPort')]
  if (port !== opsPort || typeof port !== 'number' || port === 0) return []
  return [{ path: 'server.opsPort', complaint: `must differ from server.port, which is ${port} as well` }]
}

/** Node refuses to start with these the other way round. */
function timeouts(server: unknown): Complaint[] {
  const [headers, request] = [pick(server, 'headersTimeoutSeconds'), pick(server, 'requestTimeoutSeconds')]
  if (typeof headers !== 'number' || typeof request !== 'number' || headers <= request) return []
  return [
    {
      path: 'server.headersTimeoutSeconds',
      complaint: `must not be longer than server.requestTimeoutSeconds, which is ${request}: headers are part of a request`,
    },
  ]
}

function aliases(given: unknown, models: readonly unknown[]): Complaint[] {
  const names = models.map((model) => pick(model, 'name'))
  if (typeof given !== 'object' || given === null || names.some((name) => typeof name !== 'string')) return []
  return Object.entries(given).flatMap(([alias, target]): Complaint[] => {
    const path = keyPath('aliases', alias)
    if (names.includes(alias)) {
      return [{ path, complaint: 'is the name of a model, so it cannot be an alias as well' }]
    }
    if (typeof target !== 'string' || names.includes(target)) return []
    const known = names.length === 0 ? 'there are no models' : `the models are ${names.join(', ')}`
    return [{ path, complaint: `must name a model; ${known}` }]
  })
}
