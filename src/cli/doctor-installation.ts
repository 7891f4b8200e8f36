import { bad, good } from '../client/doctor/check.ts'
import type { Examination } from '../client/doctor/examination.ts'
import type { Issuer } from '../client/doctor/issuer-check.ts'
import { Failure } from '../failure/failure.ts'
import { type Call, textOption } from './command.ts'
import { examineIssuers } from './doctor-issuers.ts'
import { checkShared } from './doctor-redis.ts'
import { checkSpool } from './doctor-spool.ts'
import { checkStore } from './doctor-store.ts'
import { type LoadedConfig, loadConfig } from './load-config.ts'

export interface Installation {
  readonly server: URL
  readonly issuers: ReadonlyMap<string, Issuer>
}

/** What the server of a configuration stands on; nothing where the configuration cannot be read. */
export async function examineInstallation(
  examination: Examination,
  call: Call,
): Promise<Installation | undefined> {
  const loaded = await examination.check('configuration', async () => {
    try {
      const found = await loadConfig({ file: textOption(call, 'config') }, call.io)
      return good(`${found.file ?? 'The defaults'}: nothing is wrong in it`, found)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return misconfigured<LoadedConfig>(error)
    }
  })
  if (loaded === undefined) return undefined
  const { config } = loaded
  await checkStore(examination, loaded)
  await checkSpool(examination, loaded)
  await checkShared(examination, config.shared)
  const issuers = await examineIssuers(examination, config)
  return { server: new URL(config.server.publicUrl), issuers }
}

function misconfigured<Value>({ message }: Failure): ReturnType<typeof bad<Value>> {
  const [first = message, ...others] = message.split('\n')
  const more = others.length === 0 ? '' : ` (and ${others.length} more: "postern config check" shows all)`
  return bad({
    cause: 'configuration',
    detail: `${first}${more}`,
    cure: `Correct the configuration: ${first}`,
  })
}
