import type { Caller } from '../auth/caller.ts'
import type { Principal } from '../auth/principal.ts'
import { Failure } from '../failure/failure.ts'
import type { StoredFile } from '../store/tables-files.ts'
import { namesOf, ownerOf } from './owner.ts'

export interface UploadSession {
  readonly file: StoredFile
  readonly caller: Caller
}

/** Whoever has the id of an upload may go on with it and, if they show a credential, only the one who began it. */
export function sessionOf(file: StoredFile | undefined, caller: Caller | undefined): UploadSession {
  if (file === undefined || (caller !== undefined && ownerOf(caller) !== file.owner))
    throw new Failure('not-found', 'there is no such upload, or it has expired: start it again', {
      reason: 'upload_not_found',
    })
  return { file, caller: caller ?? startedBy(file) }
}

/** Official clients show no credential after the start; for the record they are whoever began. */
function startedBy(file: StoredFile): Caller {
  const [issuer, subject] = namesOf(file.owner)
  return {
    principal: {
      issuer,
      subject,
      clientId: undefined,
      scopes: new Set(),
      expiresAt: file.expires_at / 1_000_000,
      credential: { kind: kindOf(file.credential_kind), id: file.credential_id },
      dpopKeyThumbprint: undefined,
    },
    models: undefined,
  }
}

type CredentialKind = Principal['credential']['kind']

const kinds = {
  jwt: 'jwt',
  introspection: 'introspection',
  'api-key': 'api-key',
  'service-account': 'service-account',
} as const satisfies Record<CredentialKind, CredentialKind>

function kindOf(text: string): CredentialKind {
  const found = Object.values(kinds).find((kind) => kind === text)
  if (found !== undefined) return found
  throw new Failure('internal', 'a stored credential cannot be read')
}
