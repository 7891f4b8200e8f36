import { processIo } from './process-io.ts'
import { run } from './run.ts'

process.exitCode = await run(process.argv.slice(2), processIo())
// Whatever a cut request has left behind must not keep a finished program alive.
setTimeout(() => process.exit(), 1000).unref()
