import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'

/** The secret that seals the private keys; there is no default, so one must be made. */
export function requireSecret({ authority }: Config): string {
  if (authority.secret !== undefined) return authority.secret
  throw new Failure(
    'misconfigured',
    `authority.secret is missing: it seals the private keys in the store; ${cure}`,
    {
      field: 'authority.secret',
    },
  )
}

const cure = `make one with "openssl rand -base64 32", keep it in an environment variable, and write "secret: \${POSTERN_AUTHORITY_SECRET}" under "authority" in the configuration`
