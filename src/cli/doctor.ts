import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../failure/failure.ts'
import {
  type Call,
  type Command,
  configOption,
  hasFlag,
  jsonOption,
  printJson,
  textOption,
} from './command.ts'
import { checkLine, reportView, tellConclusion } from './doctor-report.ts'
import { programName } from './program-name.ts'
import { serverUrl, surfaceUrl } from './server-url.ts'

export const doctor: Command = {
  name: 'doctor',
  group: 'Else',
  summary: 'find out why a server does not let you in, or does not work',
  words: '[URL]',
  options: {
    config: configOption,
    token: {
      type: 'string',
      placeholder: '-',
      description: 'Look at the access token on standard input (default that of the login).',
    },
    json: jsonOption,
  },
  details: [
    'With a URL it examines that tool server, whoever made it: how it meets a caller, its metadata, its authorization',
    'server, keys and clocks, and the token if there is one. Without a URL it examines the installation of the',
    'configuration first: store, spool, shared counters, issuers. It changes nothing there, prints no secret, and ends with the',
    'one thing to do. The exit code is 1 when something is wrong.',
  ].join('\n'),
  example: 'postern doctor https://tools.example/mcp',
  run: async (call) => {
    const { openExamination } = await import('../client/doctor/examination.ts')
    const { conclude, examineServer } = await import('../client/doctor/diagnose.ts')
    const isForMachines = hasFlag(call, 'json')
    const given = await givenToken(call)
    const examination = openExamination(
      isForMachines ? {} : { onCheck: (check) => call.io.out(checkLine(check, call.io)) },
    )
    const target = await findTarget(call)
    const installation =
      target === undefined
        ? await (await import('./doctor-installation.ts')).examineInstallation(examination, call)
        : undefined
    const server = target ?? installation?.server
    if (server !== undefined) {
      const url = new URL(surfaceUrl(server, 'mcp'))
      const token = given ?? (await (await import('./doctor-token.ts')).storedToken(call, server))
      await examineServer(examination, { url, token, ...(installation && { known: installation.issuers }) })
    }
    const conclusion = {
      ...conclude(examination.checks),
      server,
      isInstallation: installation !== undefined,
      config: textOption(call, 'config'),
      mayLogin: given === undefined,
      program: programName(call.io),
    }
    if (isForMachines) printJson(call, reportView(conclusion))
    else call.io.out(tellConclusion(conclusion, call.io))
    return conclusion.isHealthy ? 0 : 1
  },
}

/** What was typed, else nothing where there is a configuration here, else the server of the other commands. */
async function findTarget(call: Call): Promise<URL | undefined> {
  const { words, io } = call
  const [word] = words
  const config = textOption(call, 'config')
  if (words.length > 1 || (word !== undefined && config !== undefined))
    throw new Failure('invalid-request', 'name one server, or a configuration with --config, or nothing')
  if (word !== undefined) return serverUrl(call, word)
  if (config !== undefined) return undefined
  const isHere = await access(join(io.cwd, 'postern.yaml')).then(
    () => true,
    () => false,
  )
  return isHere ? undefined : serverUrl(call)
}

async function givenToken(call: Call): Promise<string | undefined> {
  const given = textOption(call, 'token')
  if (given === undefined) return undefined
  if (given !== '-')
    throw new Failure(
      'invalid-request',
      'a token on the command line can be read by everybody here: send it on standard input, with --token -',
    )
  const token = (await call.io.readInput()).trim()
  if (token === '') throw new Failure('invalid-request', '--token - found nothing on standard input')
  return token
}
