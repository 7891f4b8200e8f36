import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Written out by hand, because Node makes keys but no certificates, and not every machine has openssl. */
export function selfSignedCertificate(): { readonly key: string; readonly certificate: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signatureKind = sequence(hex('06082a8648ce3d040302'))
  const name = sequence(der(0x31, sequence(hex('0603550403'), der(0x0c, Buffer.from('localhost')))))
  const content = sequence(
    der(0xa0, hex('020102')),
    der(0x02, Buffer.concat([hex('01'), randomBytes(8)])),
    signatureKind,
    name,
    sequence(utcTime(Date.now() - hour), utcTime(Date.now() + 24 * hour)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(isAuthority, namesLoopback)),
  )
  const signature = sign('sha256', content, privateKey)
  const certificate = sequence(content, signatureKind, der(0x03, Buffer.concat([hex('00'), signature])))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

const hour = 3_600_000
const isAuthority = sequence(hex('0603551d13'), hex('0101ff'), der(0x04, sequence(hex('0101ff'))))
const namesLoopback = sequence(
  hex('0603551d11'),
  der(0x04, sequence(der(0x82, Buffer.from('localhost')), der(0x87, hex('7f000001')))),
)

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

/** Tag, length, content (X.690 §8.1). */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function utcTime(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replaceAll(/\D/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex')
}
