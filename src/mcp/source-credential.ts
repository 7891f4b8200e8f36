export interface CredentialOptions {
  readonly credential?: string | undefined
  /** In place of `Authorization: Bearer`. */
  readonly header?: string | undefined
}

/** The one credential that a source sends: its own. */
export function credentialHeader({
  credential,
  header,
}: CredentialOptions): Readonly<Record<string, string>> {
  if (credential === undefined) return {}
  return header === undefined
    ? { authorization: `Bearer ${credential}` }
    : { [header.toLowerCase()]: credential }
}
