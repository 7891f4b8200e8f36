/** Kills gateways fifty times on each engine, in the middle of their work, and looks for what they had acknowledged. */
import { spawnSync } from 'node:child_process'

const test = ['--test', '--test-global-setup=test/global-setup.ts', 'test/records/kill.test.ts']
const { status } = spawnSync(process.execPath, test, {
  stdio: 'inherit',
  env: { ...process.env, POSTERN_KILLS: process.env.POSTERN_KILLS ?? '50' },
})
process.exitCode = status ?? 1
