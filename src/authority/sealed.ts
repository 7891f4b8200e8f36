import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Failure } from '../failure/failure.ts'

/** Keeps texts in the store that only those who know `authority.secret` can read. */
export interface Seal {
  readonly close: (text: string, name: string) => string
  /** The name must be the one it was closed under, so that rows cannot be swapped. */
  readonly open: (sealed: string, name: string) => string
}

export function createSeal(secret: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'postern authority: seal of the store', keyBytes))
  return {
    close: (text, name) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(name))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return version + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open: (sealed, name) => {
      if (!sealed.startsWith(version)) throw unknownForm()
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url')
      const nonce = bytes.subarray(0, nonceBytes)
      const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes)
      try {
        const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
        decipher.setAAD(Buffer.from(name)).setAuthTag(tag)
        const body = bytes.subarray(nonceBytes + tagBytes)
        return decipher.update(body, undefined, 'utf8') + decipher.final('utf8')
      } catch (cause) {
        throw wrongSecret(cause)
      }
    },
  }
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const version = 'v1.'

function unknownForm(): Failure {
  return new Failure(
    'misconfigured',
    'the store holds something that a newer Postern has sealed: run that one',
  )
}

function wrongSecret(cause: unknown): Failure {
  const message =
    'authority.secret does not open what is in the store: it must be the secret that the store was begun with'
  return new Failure('misconfigured', message, { cause, field: 'authority.secret' })
}
