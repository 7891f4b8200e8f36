import type { CredentialsFile } from '../client/api/service-account.ts'
import type { Call } from './command.ts'
import { oneLine } from './terminal-text.ts'

/** The file is claimed before the key is made: one that cannot be written down would be lost. */
export async function writeCredentials(
  { io }: Call,
  { name, headline }: { readonly name: string; readonly headline: string },
  make: () => Promise<CredentialsFile>,
): Promise<void> {
  const { claimFile } = await import('./claim-file.ts')
  const file = `${name.replaceAll(/[^\w.-]/g, '_')}.json`
  await using claimed = await claimFile(io.cwd, file)
  const credentials = await make()
  await claimed.write(`${JSON.stringify(credentials, null, 2)}\n`)
  io.out(`${headline} ${oneLine(credentials.client_email)}.
Its key is in ${file}, readable by you alone, and nowhere else. Official clients find it by

  export GOOGLE_APPLICATION_CREDENTIALS="$PWD/${file}"
`)
}
