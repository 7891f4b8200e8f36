import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { parseConfig } from '../../src/config/parse-config.ts'
import { openLimits } from '../../src/gateway/open-limits.ts'
import { createLog } from '../../src/log/log.ts'

/** One process of several: says `ready`, waits for a line, asks for so many requests, a few at a time, and says how many it got and how many not. */
const [configuration = '', count = '0'] = process.argv.slice(2)
const config = parseConfig(configuration, { file: 'arguments', env: {} })
const limiter = await openLimits(config, createLog({ level: 'silent' }))
const principal = {
  issuer: 'https://a.example',
  subject: 'ann',
  credential: { kind: 'jwt', id: String(process.pid) },
} as const
const lines = createInterface({ input: process.stdin })
console.log('ready')
await once(lines, 'line')
let left = Number(count)
let admitted = 0
let refused = 0
const callers = Array.from({ length: 32 }, async () => {
  while (left > 0) {
    left -= 1
    await admission()
  }
})
await Promise.all(callers)
console.log(admitted, refused)
lines.close()
await limiter.close()

async function admission(): Promise<void> {
  try {
    await limiter.request(principal)
    admitted += 1
  } catch {
    refused += 1
  }
}
