// `npm run fuzz`: every test file that draws its cases, once for each of many random seeds.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'

const { POSTERN_FUZZ_SEED: given, POSTERN_FUZZ_ROUNDS: rounds = '20' } = process.env
const named = process.argv.slice(2)
const files = named.length > 0 ? named : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).filter(draws)
const seeds = given === undefined ? Array.from({ length: Number(rounds) }, () => randomInt(2 ** 31)) : [given]
const failed = seeds.filter((seed, index) => {
  console.log(`fuzz: round ${index + 1} of ${seeds.length}, ${files.length} files, seed ${seed}`)
  return !passes(seed)
})

for (const seed of failed)
  console.error(`fuzz: failed; to repeat it: POSTERN_FUZZ_SEED=${seed} npm run fuzz ${named.join(' ')}`)
process.exitCode = failed.length > 0 || seeds.length === 0 || files.length === 0 ? 1 : 0

function draws(file) {
  return /^import .* from 'fast-check'$/m.test(readFileSync(file, 'utf8'))
}

function passes(seed) {
  const options = [
    '--test',
    '--test-concurrency=2',
    '--test-reporter=dot',
    '--import=./test/fixed-seed.ts',
    '--test-global-setup=test/global-setup.ts',
  ]
  const env = { ...process.env, POSTERN_FUZZ_SEED: String(seed) }
  return spawnSync(process.execPath, [...options, ...files], { env, stdio: 'inherit' }).status === 0
}
