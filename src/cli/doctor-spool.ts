import { constants } from 'node:fs'
import { access, readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { bad, good, type Outcome } from '../client/doctor/check.ts'
import type { Examination } from '../client/doctor/examination.ts'
import type { LoadedConfig } from './load-config.ts'

/** The folder where records wait for the store. */
export async function checkSpool(examination: Examination, loaded: LoadedConfig): Promise<void> {
  await examination.check('spool', () => lookAt(loaded))
}

async function lookAt({ config, directory }: LoadedConfig): Promise<Outcome> {
  const { spool, spoolLimitMegabytes } = config.audit
  const folder = resolve(directory, spool)
  const existing = await nearestExisting(folder)
  const isFolder = (await stat(existing)).isDirectory()
  const mayWrite = isFolder && (await isWritable(existing))
  if (!mayWrite)
    return bad({
      cause: 'spool',
      detail: isFolder
        ? `${existing} cannot be written to: records could not wait there for the store`
        : `${existing} is no folder`,
      cure: `Let the user that Postern runs as write to ${existing}, or name another folder as audit.spool.`,
    })
  const { bavail, bsize } = await statfs(existing)
  const freeMegabytes = Math.floor((bavail * bsize) / 2 ** 20)
  if (freeMegabytes < spoolLimitMegabytes)
    return bad({
      cause: 'disk_full',
      detail: `${existing} has ${freeMegabytes} MB left, and audit.spoolLimitMegabytes allows ${spoolLimitMegabytes}`,
      cure: `Free space on the disk of ${existing}, or lower audit.spoolLimitMegabytes.`,
    })
  return good(existing === folder ? await waiting(folder) : `${folder} is made at the first start`)
}

async function waiting(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.log'))
  const files = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)))
  const bytes = files.reduce((sum, file) => sum + (file?.size ?? 0), 0)
  return `${folder}: ${Math.ceil(bytes / 1024)} KB in it`
}

async function nearestExisting(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  const parent = dirname(path)
  return isThere || parent === path ? path : nearestExisting(parent)
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}
