import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type ProgramEnd, runProgram } from '../conformance/run-program.ts'
import { houseAddress, startHouse } from './house.ts'

const house = await startHouse(await houseAddress())
after(() => house[Symbol.asyncDispose]())
const { place, url } = house
const apiKey = await house.key()
await place.call(['service-accounts', 'create', 'robot', '--project', 'demo'])

const program = { of: '@google/gemini-cli', file: 'bundle/gemini.js' } as const
const question = ['-p', 'Once upon a time', '-o', 'json', '--skip-trust']

/** Else it starts itself a second time, with more memory than it needs here. */
const alone = { GEMINI_CLI_NO_RELAUNCH: 'true' }

/** The CLI with nothing but this in its environment, and a home of its own. */
async function gemini(
  selectedType: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProgramEnd> {
  const home = join(place.folder, selectedType)
  await mkdir(join(home, '.gemini'), { recursive: true })
  const settings = { security: { auth: { selectedType } }, privacy: { usageStatisticsEnabled: false } }
  await writeFile(join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
  const none = { GEMINI_API_KEY: undefined, GOOGLE_API_KEY: undefined, GOOGLE_CLOUD_PROJECT: undefined }
  return runProgram(program, args, {
    seconds: 55,
    env: { ...none, ...alone, HOME: home, GEMINI_CLI_HOME: home, ...env },
  })
}

/** Who answered how many requests, by the CLI's own count. */
function told({ code, out, err }: ProgramEnd): { readonly response: string; readonly models: object } {
  assert.equal(code, 0, `${out}\n${err}`)
  const { response, stats } = JSON.parse(out)
  return { response, models: stats.models }
}

test('gemini -p works with an API key, and the names it has built in are aliases', async () => {
  const env = { GEMINI_API_KEY: apiKey, GOOGLE_GEMINI_BASE_URL: url }
  const { response, models } = told(await gemini('gemini-api-key', question, env))
  assert.match(response, /\w/)
  assert.deepEqual(Object.keys(models), ['stories15M'])
})

test('gemini -p works with the file of a service account', async () => {
  const env = {
    GOOGLE_APPLICATION_CREDENTIALS: join(place.folder, 'robot.json'),
    GOOGLE_CLOUD_PROJECT: 'demo',
    GOOGLE_CLOUD_LOCATION: 'global',
    GOOGLE_VERTEX_BASE_URL: url,
  }
  const { response } = told(await gemini('vertex-ai', ['-m', 'tiny', ...question], env))
  assert.match(response, /\w/)
})

test('gemini -p says what is wrong with a bad key, and with a model that is not there', async () => {
  const env = { GEMINI_API_KEY: 'of-nobody', GOOGLE_GEMINI_BASE_URL: url }
  const badKey = await gemini('gemini-api-key', ['-m', 'tiny', ...question], env)
  assert.notEqual(badKey.code, 0)
  assert.match(badKey.out + badKey.err, /API key not valid\. Please pass a valid API key\./)
  const unknown = await gemini('gemini-api-key', ['-m', 'nope', ...question], {
    ...env,
    GEMINI_API_KEY: apiKey,
  })
  assert.notEqual(unknown.code, 0)
  assert.match(unknown.out + unknown.err, /models\/nope is not found for API version v1beta/)
})
