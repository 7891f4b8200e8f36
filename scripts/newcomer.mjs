// `npm run newcomer`: the first minutes of somebody new, typed into a real terminal on a clean checkout.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { browserProgram, invitePerson } from './newcomer-person.mjs'
import { artefact, table } from './newcomer-report.mjs'
import { openTerminal, provideTmux } from './newcomer-terminal.mjs'

const most = 180
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'postern-newcomer-'))
const home = join(folder, 'home')
const checkout = join(home, 'postern')
const steps = []
const secret = (name) => readFileSync(join(checkout, 'data', name), 'utf8').trim()

provideTmux()
mkdirSync(home)
execFileSync('git', ['clone', '--quiet', root, checkout], { stdio: 'inherit' })
const commit = execFileSync('git', ['-C', checkout, 'rev-parse', '--short', 'HEAD'], {
  encoding: 'utf8',
}).trim()
const person = await invitePerson({ folder, password: () => secret('dev-demo-password') })
const terminal = await openTerminal({ folder, cwd: checkout, env: environment() })
const { upper, lower } = terminal
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void close().then(() => process.exit(1)))

let gateway = ''
try {
  console.log(`newcomer: a clean checkout of ${commit}; npm start installs it first, which is not counted …`)
  await installed()
  await walk()
} catch (error) {
  console.error(`newcomer: ${steps.at(-1)?.name ?? 'install'}: ${error.message}\n`)
  console.error(`--- npm start\n${(await upper.capture()).split('\n').slice(-20).join('\n')}`)
  console.error(`--- the other pane\n${(await lower.capture()).split('\n').slice(-60).join('\n')}`)
  process.exitCode = 1
} finally {
  await finish()
}

/** Everything a newcomer does after the installation, in order. */
async function walk() {
  await step('start', async () => {
    await upper.shows(/Stop with Ctrl-C/, 60)
    gateway = /gateway +(\S+)/.exec(await upper.capture())?.[1] ?? ''
    expect(gateway, /^http:\/\/127\.0\.0\.1:\d+$/)
    return `gateway and authority run, at ${gateway}`
  })
  await step('login', async () => {
    const [{ shown }, read] = await Promise.all([
      typed(`npx postern login ${gateway} --scope demo:echo`, 0, /Signed in to \S+\/mcp/, /for +demo:echo$/m),
      person.answerPage(),
    ])
    expect(read.join('\n'), /Hear back what was said/)
    expect(shown, /Your browser shows the page/)
    return 'signed in as demo in a browser, for demo:echo and no more'
  })
  await step('list tools', async () => {
    await typed('npx postern tools', 0, /^echo\b/m, /^time\b/m)
    return 'echo and time are among them'
  })
  await step('call one', async () => {
    await typed('npx postern call echo --arg text=hello', 0, /^hello$/m)
    return 'echo says hello'
  })
  await step('be refused another', async () => {
    await typed('npx postern call time 2> refusal.txt', 1)
    await typed('cat refusal.txt', 0, /demo:time/, /Allow it with: npx postern login --scope demo:time/)
    return 'as in a script, where nobody can be asked: exit code 1, and the command that allows it'
  })
  await step('step up', async () => {
    const [, read] = await Promise.all([
      typed('npx postern call time', 0, /needs more than you have allowed so far: demo:time/, /\d\d:\d\d/),
      person.answerPage(),
    ])
    expect(read.join('\n'), /Tell the time/)
    return 'asked in the browser for demo:time, and the same call went on'
  })
  await models()
  await records()
  await step('doctor', async () => {
    await typed(`npx postern doctor ${gateway}/mcp`, 0, /✓ reach/, /✓ audience/, /all is well/)
    return 'all is well, with the token of the login'
  })
  await step('stop', async () => {
    const count = upper.prompts()
    await upper.press('C-c')
    await upper.end(count + 1)
    expect(await upper.capture(), /Stopped\./)
    return 'Ctrl-C ends both programs'
  })
}

async function models() {
  await step('generate', async () => {
    await typed(
      'export GEMINI_API_KEY="$(cat data/dev-api-key)" GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8080',
      0,
    )
    const { shown } = await typed(
      'npx postern generate --model tiny "Once upon a time" --max-tokens 40',
      0,
      /\w+ \w+ \w+ \w+/,
    )
    const story = shown.split('\n').filter((line) => !line.startsWith('npm warn'))
    return `${story.join(' ').split(/\s+/).length} words on the terminal`
  })
  await step('stream', async () => {
    const { shown } = await typed(
      'npx postern generate --model tiny --stream --json --max-tokens 8 "Once upon a time"',
      0,
    )
    const pieces = shown.split('\n').filter((line) => line.startsWith('{'))
    if (pieces.length < 2) throw new Error('the answer came in one piece')
    await chat('npx postern chat --model tiny --max-tokens 30', 'Once upon a time, there was a fox')
    return `${pieces.length} pieces, and a conversation`
  })
}

async function records() {
  await step('make 1,000 events', async () => {
    // One caller has 600 requests a minute, so there are two.
    await typed('npx postern keys create --name my-app --config data/dev.yaml --json > my-app.json', 0)
    await typed(`MY_KEY="$(node -pe 'JSON.parse(fs.readFileSync("my-app.json")).key')"`, 0)
    for (const key of ['$GEMINI_API_KEY', '$MY_KEY'])
      await typed(
        `curl -s -o /dev/null -w '%{http_code}\\n' -H "x-goog-api-key: ${key}" '${gateway}/v1beta/models/tiny#[1-520]' | sort | uniq -c`,
        0,
        /^ *520 200$/m,
      )
    return 'by two keys, as one caller has 600 requests a minute'
  })
  await step('walk 1,000 events', async () => {
    const { shown } = await typed('npx postern events list --all --config data/dev.yaml', 0, /NUMBER +TIME/)
    const numbers = [...shown.matchAll(/^(\d+) +\d{4}-/gm)].map(([, number]) => Number(number))
    if (numbers.length < 1000) throw new Error(`only ${numbers.length} events were listed`)
    if (numbers.some((number, index) => number !== numbers.length - index))
      throw new Error('an event is missing or twice there')
    const progress = lower.sent().match(/\[#+-*\] [\d,]+ of [\d,]+ events/g) ?? []
    if (progress.length === 0) throw new Error('no progress was shown')
    return `${numbers.length} events, each once; on the way ${progress.length} times progress, such as ${progress.at(-1)}`
  })
  await step('revoke', async () => {
    const { shown } = await typed('npx postern sessions list --config data/dev.yaml', 0, /tools/, /models/)
    const id = /^(\S+) +active +dev +models +api-key/m.exec(shown)?.[1]
    if (id === undefined) throw new Error('the session of the key is not listed')
    await typed(`npx postern sessions revoke ${id} --config data/dev.yaml`, 0, new RegExp(`${id} is revoked`))
    await typed('sleep 1', 0)
    await typed('npx postern generate --model tiny "Once upon a time"', 1, /API Key not found/, /unset both/)
    return 'the key that could generate is refused'
  })
}

/** Until the installer is done; `npm start` goes on by itself. */
async function installed() {
  await upper.type('npm start')
  await upper.shows(/postern: installed in/, 900)
  console.log(`newcomer: ${/installed in \d+ s/.exec(await upper.capture())?.[0]}; now the time counts`)
}

async function step(name, act) {
  const started = performance.now()
  const entry = { name, seconds: 0, outcome: undefined }
  steps.push(entry)
  try {
    entry.outcome = await act()
  } finally {
    entry.seconds = (performance.now() - started) / 1000
  }
  console.log(`newcomer: ${name}: ${entry.outcome} (${entry.seconds.toFixed(1)} s)`)
}

async function typed(line, code, ...words) {
  const ended = await lower.command(line)
  if (ended.code !== code) throw new Error(`the exit code of "${line}" is ${ended.code}, not ${code}`)
  for (const word of words) expect(ended.shown, word)
  return ended
}

async function chat(line, message) {
  const count = lower.prompts()
  await lower.type(line)
  await lower.shows(/You talk with tiny\.[^\n]*\n>$/, 30)
  await lower.type(message)
  await lower.shows(new RegExp(`> ${message}\\n[^>]*\\w+ \\w+ \\w+[^>]*\\n>$`), 30)
  await lower.type('/quit')
  const code = await lower.end(count + 1)
  if (code !== 0) throw new Error(`the exit code of "${line}" is ${code}`)
}

function expect(text, words) {
  if (!words.test(text)) throw new Error(`expected ${words} in:\n${text}`)
}

async function finish() {
  const seconds = steps.reduce((sum, one) => sum + one.seconds, 0)
  const summary = table(steps, { seconds, most })
  console.log(`\n${summary}`)
  if (seconds >= most) process.exitCode = 1
  if (process.exitCode !== 1) {
    const panes = { 'npm start': await upper.capture(), 'the other pane': await lower.capture() }
    const secrets = ['dev-demo-password', 'dev-api-key', 'dev-script-secret', 'dev-secret'].map(secret)
    writeFileSync(join(root, 'docs', 'newcomer-run.txt'), artefact({ summary, panes, secrets, home }))
    console.log('newcomer: the terminal is kept in docs/newcomer-run.txt')
  }
  await close()
}

async function close() {
  // Whoever sits in a pane is hung up on, which also ends npm start.
  await terminal.close()
  await person.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
}

/** That of the person who runs this, without what npm and this checkout put there. */
function environment() {
  const foreign =
    /^(npm_|POSTERN_|GOOGLE_|GEMINI_|NODE_|TMUX|XDG_|INIT_CWD|DISPLAY|WAYLAND_DISPLAY|PROMPT_COMMAND|NO_COLOR|FORCE_COLOR)/
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name))
  const path = (process.env.PATH ?? '').split(delimiter).filter((place) => !place.includes('node_modules'))
  return {
    ...Object.fromEntries(kept),
    PATH: [folder, ...path].join(delimiter),
    HOME: home,
    BROWSER: browserProgram(folder),
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    // The registry and the cache of this machine, and nothing about newer versions of npm.
    npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), '.npmrc'),
    npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
    npm_config_update_notifier: 'false',
  }
}
