import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { commands } from '../../src/cli/commands.ts'
import { workplace } from './call-postern.ts'

const runFile = promisify(execFile)

/** Has the machinery of a shell complete the last of these words; the script lies in `$1`. */
const shells = {
  bash: `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _postern
    for word in "\${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done`,
  // Without a terminal zsh has no completion of its own: what the script tells it is printed in its place.
  zsh: `compdef() { : }; _files() { print -l -- "\${words[CURRENT]}"*(N) }; _message() { : }
    _describe() { shift; [[ "$1" != option ]] || shift; found=("\${found[@]%%:*}"); offer "\${found[@]}" }
    compadd() { shift; offer "$@" }
    offer() { print -l -- "\${(M)@:#\${(b)words[CURRENT]}*}" }
    source "$1"; shift; words=("$@"); CURRENT=$#; _postern`,
  fish: 'source $argv[1]; complete -C "$argv[2..-1]" | string split -f 1 \\t; true',
} as const

type Shell = keyof typeof shells

const installed: readonly Shell[] = (['bash', 'zsh', 'fish'] as const).filter(
  (shell) => spawnSync(shell, ['-c', 'exit 0']).status === 0,
)

async function complete(shell: Shell, words: readonly string[]): Promise<readonly string[]> {
  await using place = await workplace()
  const { code, out } = await place.call(['completion', shell])
  assert.equal(code, 0)
  const script = join(place.folder, 'script')
  await writeFile(script, out)
  const clean = { bash: '--norc', zsh: '-f', fish: '--no-config' }[shell]
  // Only bash and zsh give the first argument another name.
  const name = shell === 'fish' ? [] : [shell]
  const { stdout } = await runFile(shell, [clean, '-c', shells[shell], ...name, script, ...words], {
    cwd: place.folder,
    env: { PATH: process.env.PATH, HOME: place.folder },
  })
  return stdout.split('\n').filter((word) => word !== '')
}

const rows: readonly [line: string, expected: readonly string[]][] = [
  ['postern ver', ['version']],
  ['postern keys ', ['create', 'list', 'revoke', 'rotate']],
  ['postern authority users a', ['add', 'admin']],
  ['postern keys revoke --j', ['--json']],
  ['postern events list --order ', ['newest', 'oldest']],
  ['postern events list --follow --decision d', ['deny']],
  ['postern config check --config po', ['postern.yaml']],
  ['postern completion ', ['bash', 'fish', 'zsh']],
  ['postern help service-accounts d', ['disable']],
  ['postern keys create --name ', []],
]

for (const shell of installed) {
  for (const [line, expected] of rows)
    test(`${shell} completes "${line}" to ${expected.join(', ') || 'nothing'}`, async () => {
      assert.deepEqual((await complete(shell, line.split(' '))).toSorted(), expected)
    })

  test(`${shell} knows every first word, and every option of a command`, async () => {
    const first = new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))
    assert.deepEqual(
      await complete(shell, ['postern', '']).then((words) => words.toSorted()),
      [...first].sort(),
    )
    const list = commands.find(({ name }) => name === 'events list')
    const options = [...Object.keys(list?.options ?? {}), 'debug', 'help'].map((name) => `--${name}`)
    const offered = await complete(shell, ['postern', 'events', 'list', '--'])
    assert.deepEqual(offered.toSorted(), options.sort())
  })
}

test('bash completes a value behind an equals sign as well', async () => {
  assert.deepEqual(await complete('bash', ['postern', 'events', 'list', '--order', '=', 'o']), ['oldest'])
})

for (const shell of ['bash', 'zsh', 'fish'])
  test(`what ${shell} gets names every command and every option`, async () => {
    await using place = await workplace()
    const { out } = await place.call(['completion', shell])
    for (const { name, options } of commands) {
      assert.ok(out.includes(`'${name}'`) || out.includes(`\\'${name}\\'`), name)
      for (const option of Object.keys(options)) assert.ok(out.includes(option), `${name} --${option}`)
    }
  })

for (const [args, says] of [
  [['completion'], /name exactly one shell: bash, zsh, fish/],
  [['completion', 'tcsh'], /there is completion for bash, zsh, fish, not "tcsh"/],
] as const)
  test(`postern ${args.join(' ')} is a misuse`, async () => {
    await using place = await workplace()
    const { code, err } = await place.call(args)
    assert.equal(code, 2)
    assert.match(err, says)
  })
