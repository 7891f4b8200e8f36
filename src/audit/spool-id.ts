import { hash, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'

/** A name that no other spool has, and that says for which store it is: two gateways may share a folder, not a store. */
export function newSpoolId(address: string, directory: string): string {
  return `${hash('sha256', storeIdentity(address, directory)).slice(0, prefixLength)}-${randomUUID()}`
}

export function storePrefix(id: string): string {
  return id.slice(0, prefixLength)
}

const prefixLength = 16

/** The same after a password was changed. */
function storeIdentity(address: string, directory: string): string {
  if (address.startsWith('sqlite:')) return resolve(directory, address.slice('sqlite:'.length))
  const url = URL.parse(address)
  return url === null ? address : `${url.host}${url.pathname} ${url.searchParams.get('host') ?? ''}`
}
