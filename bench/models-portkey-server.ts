import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { answers } from './models-answers.ts'
import type { ServerSettings } from './models-wire.ts'
import { reportUsage } from './tools-usage.ts'

/** The peer as `npx @portkey-ai/gateway` starts it; its answer is in the OpenAI wire. */
const settings: ServerSettings = JSON.parse(String(process.argv[2]))
const home = dirname(fileURLToPath(import.meta.resolve('@portkey-ai/gateway/package.json')))
process.argv = [process.execPath, 'start-server.js', `--port=${settings.port}`, '--headless']
process.env.TRUSTED_CUSTOM_HOSTS = new URL(settings.upstream).hostname
await import(pathToFileURL(join(home, 'build', 'start-server.js')).href)
await answers(settings.port)
reportUsage()
