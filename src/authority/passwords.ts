import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Failure } from '../failure/failure.ts'
import { createTurns } from './turns.ts'

/** The cost of one hash: `2 ** logarithm` blocks of 1 KiB at `r` = 8. */
export interface ScryptCost {
  readonly logarithm: number
  readonly blockSize: number
  readonly parallelism: number
}

/** OWASP's first choice for scrypt: 128 MiB and about half a second. */
export const strongCost: ScryptCost = { logarithm: 17, blockSize: 8, parallelism: 1 }

/** A text in PHC form, `$scrypt$ln=17,r=8,p=1$salt$hash`, that `verifyPassword` understands whatever its cost. */
export async function hashPassword(password: string, cost: ScryptCost = strongCost): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost)
  const { logarithm, blockSize, parallelism } = cost
  return `$scrypt$ln=${logarithm},r=${blockSize},p=${parallelism}$${text(salt)}$${text(hash)}`
}

/** Without a hash – an unknown login – it takes the time of `usual`, so that time does not tell who exists. */
export async function verifyPassword(
  password: string,
  hash: string | undefined,
  usual: ScryptCost = strongCost,
): Promise<boolean> {
  const known = hash === undefined ? undefined : readHash(hash)
  const { salt, expected, cost } = known ?? { ...nobody, cost: usual }
  const derived = await derive(password, salt, cost)
  return timingSafeEqual(derived, expected) && known !== undefined
}

/** What is wrong with a new password, if anything. */
export function passwordComplaint(password: string, login: string): string | undefined {
  const { length } = Array.from(password)
  if (length < shortest) return `a password needs at least ${shortest} characters; 12 or more are better`
  if (password.length > longest) return `a password has at most ${longest} characters`
  if (plain(password).toLowerCase() === login.toLowerCase()) return 'a password must not be the login itself'
  return undefined
}

const shortest = 8
const longest = 256

const hashLength = 32
const nobody = { salt: randomBytes(16), expected: randomBytes(hashLength) }

/** Each hash holds 128 MiB, so that the memory of the process is bounded by one; the last in line waits about 16 seconds. */
const inTurn = createTurns({ running: 1, waiting: 32 })

async function derive(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
  if (password.length > longest * 4) throw new Failure('invalid-request', 'the password is too long')
  return inTurn(() => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const N = 2 ** cost.logarithm
    const maxmem = 256 * N * cost.blockSize
    const options = { N, r: cost.blockSize, p: cost.parallelism, maxmem }
    scrypt(plain(password), salt, hashLength, options, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    )
    return promise
  })
}

/** One spelling for what looks the same, because keyboards differ in how they write an accent. */
function plain(password: string): string {
  return password.normalize('NFKC')
}

function readHash(hash: string): typeof nobody & { readonly cost: ScryptCost } {
  const [, logarithm, blockSize, parallelism, salt = '', expected = ''] = hashForm.exec(hash) ?? []
  const cost = {
    logarithm: Number(logarithm),
    blockSize: Number(blockSize),
    parallelism: Number(parallelism),
  }
  const read = { salt: Buffer.from(salt, 'base64'), expected: Buffer.from(expected, 'base64'), cost }
  if (read.expected.length === hashLength && cost.logarithm <= 20 && cost.blockSize <= 16) return read
  throw new Failure('internal', 'the store holds a password hash of a form that is not known')
}

const hashForm = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function text(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
