import { BlockList, isIP } from 'node:net'
import { Failure } from '../failure/failure.ts'

export interface KeyOrder {
  readonly name: string
  /** Whom the key acts for; its name unless given, and then no other key that works may be for the same. */
  readonly principal?: string | undefined
  readonly scopes?: readonly string[] | undefined
  /** Names of models, `*` for any text. */
  readonly models?: readonly string[] | undefined
  /** Addresses or ranges, such as `203.0.113.0/24`. */
  readonly addresses?: readonly string[] | undefined
  /** Microseconds since 1970. */
  readonly expiresAt?: number | undefined
}

/** Fails with what is wrong and what would be right. */
export function checkKeyOrder(order: KeyOrder, now: number): void {
  const { name, principal = name, expiresAt } = order
  if (!label.test(name)) throw refuse('name', 'must be 1 to 100 printable characters')
  if (!label.test(principal)) throw refuse('principal', 'must be 1 to 100 printable characters')
  refuseAccountName('name', name)
  refuseAccountName('principal', principal)
  for (const { field, isGood, complaint } of lists) {
    const list = order[field]
    if (list === undefined) continue
    if (list.length === 0) throw refuse(field, 'must name at least one, or be left out for all of them')
    if (list.length > longestList) throw refuse(field, `must be at most ${longestList}`)
    if (!list.every(isGood)) throw refuse(field, complaint)
  }
  if (expiresAt !== undefined && !(Number.isSafeInteger(expiresAt) && expiresAt > now))
    throw refuse('expiresAt', 'must be in the future, in whole microseconds')
}

/** Whoever may make keys would otherwise be any service account: both are known by a text of their own, under one issuer. */
function refuseAccountName(field: string, text: string): void {
  if (isAccountName(text))
    throw refuse(
      field,
      'must not be like the e-mail of a service account (name@project.iam.host): choose another',
    )
}

/** Keys from before this was refused may still be for one. */
export function isAccountName(text: string): boolean {
  return accountName.test(text)
}

/** The addresses of a list of ranges that `checkKeyOrder` took; what it would not take matches nothing. */
export function addressList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of ranges) {
    const range = addressRange(text)
    if (range !== undefined) list.addSubnet(range.address, range.bits, range.family)
  }
  return list
}

interface AddressRange {
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

/** An address with a zone (`fe80::1%eth0`) is none: the zone means something on one machine only. */
function addressRange(text: string): AddressRange | undefined {
  const [, address = '', digits] = /^([0-9A-Fa-f.:]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? []
  const kind = isIP(address)
  const most = kind === 4 ? 32 : 128
  const bits = digits === undefined ? most : Number(digits)
  return kind === 0 || bits > most ? undefined : { address, bits, family: kind === 4 ? 'ipv4' : 'ipv6' }
}

const label = /^(?=.{1,100}$)[^\p{C}\s](?:[^\p{C}]*[^\p{C}\s])?$/u
/** As service accounts are called, and what people could take for one. */
const accountName = /^[a-z0-9._-]+@[a-z0-9.-]+\.iam\.[^@\s]+$/i
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/
const modelPattern = /^[A-Za-z0-9*][A-Za-z0-9._*-]{0,127}$/
const longestList = 100

const lists = [
  {
    field: 'scopes',
    isGood: (scope: string): boolean => scopeToken.test(scope),
    complaint: 'must be words of printable ASCII without " and \\',
  },
  {
    field: 'models',
    isGood: (model: string): boolean => modelPattern.test(model),
    complaint: 'must be names of models, with * for any text',
  },
  {
    field: 'addresses',
    isGood: (range: string): boolean => addressRange(range) !== undefined,
    complaint: 'must be IP addresses or ranges, such as 203.0.113.0/24',
  },
] as const

function refuse(field: string, complaint: string): Failure {
  return new Failure('invalid-request', `${field} of an API key ${complaint}`, { field })
}
