import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Io } from '../../src/cli/io.ts'
import { tokenFile } from '../../src/client/node/token-file.ts'
import { type AdminServer, everything, startAdminServer } from '../records/admin-server.ts'
import { type Engine, openDatabase, sqlite } from '../store/engines.ts'
import { type Workplace, workplace } from './call-postern.ts'

/** One store, reached in both ways: by its configuration, and over HTTP by somebody who has signed in. */
export interface OperatorPlace extends AsyncDisposable {
  readonly admin: AdminServer
  readonly ways: Readonly<Record<WayName, Way>>
}

export const wayNames = ['--config', '--url'] as const
export type WayName = (typeof wayNames)[number]
export type Way = Pick<Workplace, 'call' | 'json' | 'lines'>

export async function operatorPlace(scopes: string = everything): Promise<OperatorPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-operator-'))
  const address = `sqlite:${join(folder, 'store.db')}`
  const engine: Engine = { ...sqlite, open: (migrations) => openDatabase(address, migrations) }
  const admin = await startAdminServer({ engine, isListening: true })
  const config = join(folder, 'on-store.yaml')
  await writeFile(config, `store: ${address}\n`)
  const tokens = join(folder, 'tokens.json')
  await signIn(tokens, admin, scopes)
  // No configuration lies here.
  const place = await workplace()
  const inside = { cwd: folder, env: { POSTERN_TOKEN_FILE: tokens } }
  return {
    admin,
    ways: {
      '--config': way(place, ['--config', config], inside),
      '--url': way(place, ['--url', admin.publicUrl], inside),
    },
    [Symbol.asyncDispose]: async () => {
      await admin[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

async function signIn(path: string, admin: AdminServer, scopes: string): Promise<void> {
  const resource = `${admin.publicUrl}/api`
  await tokenFile(path).setGrant({
    resource,
    audience: resource,
    issuer: admin.issuer,
    clientId: 'tests',
    accessToken: admin.token(scopes),
    scopes: scopes.split(' '),
    savedAt: Date.now(),
    expiresAt: Date.now() + 3_600_000,
  })
}

function way(place: Workplace, extra: readonly string[], inside: Partial<Io>): Way {
  return {
    call: (args, world) => place.call([...args, ...extra], { ...inside, ...world }),
    json: (args, world) => place.json([...args, ...extra], { ...inside, ...world }),
    lines: (args, world) => place.lines([...args, ...extra], { ...inside, ...world }),
  }
}
