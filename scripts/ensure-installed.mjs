// Runs before `npm start`, `npm test` and `npm run check`, on whatever Node the machine has: plain JavaScript for Node 20.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'node_modules', '.postern-installed')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex')

if (!isInstalled()) install()

function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
}

function install() {
  console.log(
    'postern: installing what is missing, exactly as package-lock.json says (once, about a minute) …',
  )
  const started = Date.now()
  const npm = process.env.npm_execpath
  const command = npm ? [process.execPath, npm] : ['npm']
  const result = spawnSync(
    command[0],
    [
      ...command.slice(1),
      'ci',
      '--include=dev',
      '--include=optional',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
    { cwd: root, stdio: 'inherit', shell: !npm && process.platform === 'win32' },
  )
  if (result.status !== 0)
    stop('npm ci failed; its own words are above. Mend that and run the command again.')
  const runtime = spawnSync(join(root, 'node_modules', '.bin', 'node'), ['--version'], { encoding: 'utf8' })
  if (runtime.status !== 0)
    stop(
      'the Node that the project brings did not install: its install script must be allowed (no --ignore-scripts).',
    )
  writeFileSync(stamp, wanted)
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(`postern: installed in ${seconds} s, with Node ${runtime.stdout.trim()}`)
}

function stop(reason) {
  console.error(`postern: ${reason}`)
  process.exit(1)
}
