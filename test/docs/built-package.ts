import { execFile } from 'node:child_process'
import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkout } from './shell-place.ts'

const run = promisify(execFile)

/** What `npm pack` would put into the package, built, with the packages that npm would install for it. */
export async function buildPackage(folder: string): Promise<void> {
  const tsc = join(checkout, 'node_modules', '.bin', 'tsc')
  // Its types are checked elsewhere.
  await run(tsc, ['-p', join(checkout, 'tsconfig.build.json'), '--noCheck', '--outDir', join(folder, 'dist')])
  for (const name of ['package.json', 'bin', 'schema'])
    await cp(join(checkout, name), join(folder, name), { recursive: true })
  await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'), 'junction')
}
