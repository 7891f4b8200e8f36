import { compactVerify } from 'jose'
import type { Log } from '../log/log.ts'
import { type IssuerConfig, readClaims } from './claims.ts'
import type { CompactJwt } from './compact-jwt.ts'
import { discoverKeySetUrl } from './discovery.ts'
import type { JsonClient } from './json-client.ts'
import { type JwtHeader, readJwtHeader, refuseOtherTokens } from './jwt-header.ts'
import { createKeySet, type KeySet } from './key-set.ts'
import { refusal } from './refusal.ts'
import { readKeySet, type SigningKey } from './signing-key.ts'
import { member } from './strict-json.ts'
import { credentialId, type PresentedToken, type VerifiedToken } from './verified-token.ts'

export interface IssuerCheckOptions {
  readonly issuer: IssuerConfig
  /** In its canonical spelling. */
  readonly resource: string
  readonly web: JsonClient
  /** For questions about tokens that anybody may have made up. */
  readonly strangersWeb: JsonClient
  readonly log: Log
  readonly now: () => number
}

export interface JwtCheck {
  readonly check: (token: PresentedToken, jwt: CompactJwt) => Promise<VerifiedToken>
  /** Whether its keys have been read once; tries to where they have not. */
  readonly hasKeys: () => Promise<boolean>
  readonly close: () => void
}

/** Checks the access tokens of one issuer by its keys (RFC 9068). */
export function createJwtCheck(options: IssuerCheckOptions): JwtCheck {
  const { issuer, resource, now, log } = options
  const keySet = createKeySet({ issuer: issuer.issuer, load: keyLoader(options), log, now })

  async function check(token: PresentedToken, jwt: CompactJwt): Promise<VerifiedToken> {
    const header = readJwtHeader(jwt.header, issuer.algorithms)
    if (member(jwt.claims, 'iss') !== issuer.issuer) throw refusal('the access token is of another issuer')
    const read = (): ReturnType<typeof readClaims> => readClaims(jwt.claims, { issuer, resource, now: now() })
    // What can be refused without a key is: nobody makes us ask the issuer with a token that is no good anyway.
    read()
    refuseOtherTokens(jwt.header, jwt.claims)
    const key = await findSigner(token.text, header, keySet)
    const claims = read()
    return {
      principal: { ...claims, credential: { kind: 'jwt', id: credentialId(token) } },
      until: claims.expiresAt * 1000,
      isVouchedFor: () => key.isCurrent && keySet.isFresh(),
    }
  }

  return { check, hasKeys: keySet.isLoaded, close: keySet.close }
}

const badSignature = 'the signature of the access token does not hold'

async function findSigner(token: string, header: JwtHeader, keySet: KeySet): Promise<SigningKey> {
  const held = await keySet.find(header)
  const signer = await firstSigner(token, header, held)
  if (signer !== undefined) return signer
  if (header.kid !== undefined) throw refusal(badSignature)
  // Without a key id only a failed signature shows that the issuer may have a new key.
  const newer = await firstSigner(token, header, await keySet.find(header, held))
  if (newer === undefined) throw refusal(badSignature)
  return newer
}

async function firstSigner(
  token: string,
  { alg }: JwtHeader,
  keys: readonly SigningKey[],
): Promise<SigningKey | undefined> {
  if (keys.length > mostCandidates)
    throw refusal('the access token must name its key: too many could be meant')
  for (const key of keys) {
    try {
      await compactVerify(token, await key.imported(alg), { algorithms: [alg] })
      return key
    } catch {}
  }
  return undefined
}

const mostCandidates = 8

/** Where the keys are is asked again every hour, and after every failure. */
const metadataHoldsFor = 3_600_000

function keyLoader({ issuer, web, now }: IssuerCheckOptions): () => Promise<readonly SigningKey[]> {
  let found: { readonly url: string; readonly at: number } | undefined
  return async () => {
    if (found === undefined || now() - found.at > metadataHoldsFor) {
      const url = issuer.jwksUri ?? (await discoverKeySetUrl(issuer.issuer, web))
      found = { url, at: now() }
    }
    const { url } = found
    try {
      const { status, body } = await web.send({ url })
      const keys = status === 200 ? readKeySet(body) : undefined
      if (keys === undefined) throw new Error(`${url} answered ${status} without a key set`)
      return keys
    } catch (cause) {
      found = undefined
      throw new Error(`the key set at ${url} could not be read`, { cause })
    }
  }
}
