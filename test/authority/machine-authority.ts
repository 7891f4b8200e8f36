import { tmpdir } from 'node:os'
import { startAuthority } from '../../src/authority/start-authority.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { createLog } from '../../src/log/log.ts'
import { microsecondClock } from '../../src/store/clock.ts'
import { migrations } from '../../src/store/migrations.ts'
import type { CredentialsFile } from '../../src/store/service-account-file.ts'
import { createServiceAccounts, type ServiceAccounts } from '../../src/store/service-accounts.ts'
import type { Store, StoreSchema } from '../../src/store/store.ts'
import { type LocalIssuer, startLocalIssuer } from '../auth/local-issuer.ts'
import { freePort } from '../free-port.ts'
import { openDatabase, sqlite } from '../store/engines.ts'

/** A running authority that knows workloads of two issuers, with service accounts. */
export interface MachineAuthority extends AsyncDisposable {
  readonly url: string
  readonly store: Store
  readonly accounts: ServiceAccounts
  /** Whose file signs assertions; it has the scopes of notes and of the models. */
  readonly robot: CredentialsFile
  /** Tokens of it are exchanged: its keys are found by discovery. */
  readonly forge: LocalIssuer
  /** It has keys of its own, and another audience. */
  readonly sibling: LocalIssuer
  readonly audience: string
  readonly siblingAudience: string
}

export const gatewayUrl = 'https://gateway.example'
export const notes: string = `${gatewayUrl}/mcp`
export const models: string = `${gatewayUrl}/v1beta`
export const cloudPlatform = 'https://www.googleapis.com/auth/cloud-platform'
export const desktopClient = {
  id: 'desktop',
  secret: 'the secret of the desktop app',
  redirectUri: 'http://127.0.0.1/callback',
}
const pool = '//iam.postern.example/locations/global/workloadIdentityPools/ci/providers'

export async function startMachineAuthority(): Promise<MachineAuthority> {
  const database = await sqlite.create()
  const store = await openDatabase<StoreSchema>(database.url, migrations)
  const accounts = createServiceAccounts(store, microsecondClock())
  const port = await freePort()
  const [audience, siblingAudience] = [`${pool}/forge`, `${pool}/sibling`]
  const forge = await startLocalIssuer({ audience, algorithm: 'RS256' })
  forge.serves = ['/.well-known/openid-configuration']
  const sibling = await startLocalIssuer({ audience: siblingAudience })
  const robot = await accounts.create({
    name: 'robot',
    project: 'demo',
    scopes: ['notes:read', 'notes:write', cloudPlatform, 'sessions:read', 'unknown:scope'],
    universeDomain: 'postern.example',
    tokenUri: `http://127.0.0.1:${port}/token`,
  })
  const settings = {
    store: database.url,
    server: { publicUrl: gatewayUrl },
    authority: {
      port,
      secret: 'a secret of the authority that is long enough',
      allowPrivate: true,
      opaqueResources: ['api'],
      scopes: {
        'notes:read': { description: 'Read your notes' },
        'notes:write': { description: 'Change your notes' },
        'notes:admin': { description: 'Remove notes of others' },
      },
      clients: [
        {
          id: desktopClient.id,
          name: 'Desktop',
          secret: desktopClient.secret,
          redirectUris: [desktopClient.redirectUri],
          introspects: true,
        },
        { id: 'open', name: 'Open', redirectUris: [desktopClient.redirectUri] },
      ],
      workloads: [
        {
          issuer: forge.issuer,
          audience,
          bindings: [
            { subject: 'repo:team/app:*', serviceAccount: robot.client_email },
            { subject: 'repo:team/gone', serviceAccount: 'gone@demo.iam.postern.example' },
            { subject: 'repo:team/off', serviceAccount: 'off@demo.iam.postern.example' },
          ],
        },
        {
          issuer: sibling.issuer,
          jwksUri: `${sibling.issuer}/jwks`,
          audience: siblingAudience,
          bindings: [{ subject: 'job', serviceAccount: robot.client_email }],
        },
      ],
    },
  }
  const config = parseConfig(JSON.stringify(settings), { file: 'postern.yaml', env: {} })
  const authority = await startAuthority({ config, log: createLog({ level: 'silent' }), directory: tmpdir() })
  return {
    url: authority.issuer,
    store,
    accounts,
    robot,
    forge,
    sibling,
    audience,
    siblingAudience,
    [Symbol.asyncDispose]: async () => {
      await authority.stop()
      await Promise.all([forge.stop(), sibling.stop()])
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
