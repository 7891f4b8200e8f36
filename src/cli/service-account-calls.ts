import type { ApiClient } from '../client/api/api-client.ts'
import type { CredentialsFile, ServiceAccountOrder } from '../client/api/service-account.ts'
import { Failure } from '../failure/failure.ts'

/** What the commands do with service accounts, which they know by their e-mail. */
export interface AccountPart extends Pick<ApiClient, 'serviceAccounts'> {
  /** What an account may do unless somebody says otherwise: use the models. */
  readonly usualScopes: () => Promise<readonly string[]>
  readonly create: (order: ServiceAccountOrder) => Promise<CredentialsFile>
  /** Whether its keys are refused from now on. */
  readonly switch: (email: string, isDisabled: boolean) => Promise<void>
  /** A new key; those of before end after so many seconds. */
  readonly rotate: (email: string, overlapSeconds: number) => Promise<CredentialsFile>
}

export function unknownAccount(email: string): Failure {
  return new Failure(
    'not-found',
    `there is no service account "${email}"; "postern service-accounts list" shows their e-mails`,
  )
}
