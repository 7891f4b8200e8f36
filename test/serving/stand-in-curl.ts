import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A program `curl` with the few options that our texts use, as a machine may have none; answers with its folder. */
export async function writeCurl(folder: string): Promise<string> {
  const path = join(folder, 'data', 'bin')
  await mkdir(path)
  await writeFile(join(path, 'curl'), `#!${process.execPath}\n${code}`, { mode: 0o755 })
  return path
}

/** With -i it prints status and challenge on one line, then the body. */
const code = `
const { parseArgs } = require('node:util')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    include: { type: 'boolean', short: 'i' },
    silent: { type: 'boolean', short: 's' },
    user: { type: 'string', short: 'u' },
    data: { type: 'string', short: 'd' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    request: { type: 'string', short: 'X' },
  },
})
const headers = new Headers(values.header.map((line) => line.split(/: (.*)/s).slice(0, 2)))
if (values.user) headers.set('authorization', 'Basic ' + btoa(values.user))
if (values.data && !headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded')
const method = values.request ?? (values.data ? 'POST' : 'GET')
fetch(positionals[0], { method, headers, body: values.data }).then(async (response) => {
  const start = values.include ? response.status + ' ' + response.headers.get('www-authenticate') + ' ' : ''
  console.log(start + (await response.text()))
})
`
