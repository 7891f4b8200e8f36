import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../authorization-server/authorization-server.ts'
import { freeAddress, startGateway } from './gateway-process.ts'

export interface NoteServers {
  readonly issuer: AuthorizationServer
  /** URL and resource identifier of the gateway that checks signatures. */
  readonly signed: string
  /** The same of the gateway that asks the issuer about every token. */
  readonly opaque: string
  readonly stop: () => Promise<void>
}

/** One authorization server and two gateways with the same tools: three processes beside the one of the test. */
export async function startNoteServers(): Promise<NoteServers> {
  const [signed, opaque] = [await freeAddress(), await freeAddress()]
  const issuer = await startAuthorizationServer({
    resources: { [signed.resource]: 'jwt', [opaque.resource]: 'opaque' },
    scopes: ['notes:read', 'notes:write'],
  })
  const tools = 'note-tools.ts'
  const started = await Promise.allSettled([
    startGateway(signed, { issuer, validate: 'jwt', tools }),
    startGateway(opaque, { issuer, validate: 'introspection', tools }),
  ])
  const stop = async (): Promise<void> => {
    for (const gateway of started) if (gateway.status === 'fulfilled') await gateway.value.stop()
    await issuer.stop()
  }
  for (const gateway of started)
    if (gateway.status === 'rejected') {
      await stop()
      throw gateway.reason
    }
  return { issuer, signed: signed.resource, opaque: opaque.resource, stop }
}
