import type { CredentialsFile, ServiceAccount } from '../client/api/service-account.ts'
import {
  type Call,
  type Command,
  hasFlag,
  jsonOption,
  onlyWord,
  printJson,
  textOption,
  textOptions,
} from './command.ts'
import { readDuration } from './duration.ts'
import { type Listing, listOptions, pageLimit, showList } from './list-output.ts'
import { writeCredentials } from './service-account-credentials.ts'
import { accountPart } from './service-account-part.ts'
import { placeOptions, withPart } from './two-ways.ts'
import { minuteOf } from './wire-time.ts'

const fileOption = {
  type: 'boolean',
  description: 'Print the credentials file instead of writing it.',
} as const

export const serviceAccountsCreate: Command = {
  name: 'service-accounts create',
  group: 'Service accounts',
  summary: 'create an identity for a program, with its credentials file',
  words: 'NAME',
  options: {
    ...placeOptions,
    project: { type: 'string', placeholder: 'PROJECT', description: 'Its project (default postern).' },
    scope: {
      type: 'string',
      placeholder: 'SCOPE',
      multiple: true,
      description: 'The most that its tokens may hold (default the one of the model API).',
    },
    json: fileOption,
  },
  details: [
    'Writes NAME.json, readable by you alone. It holds the only copy of the private key.',
    'GOOGLE_APPLICATION_CREDENTIALS can point at it.',
  ].join('\n'),
  example: 'postern service-accounts create robot --scope notes:read --scope notes:write',
  run: async (call) => {
    const name = onlyWord(call, 'service account')
    if (hasFlag(call, 'json')) printJson(call, await createAccount(call, name))
    else await writeCredentials(call, { name, headline: 'Created' }, () => createAccount(call, name))
    return 0
  },
}

export const serviceAccountsList: Command = {
  name: 'service-accounts list',
  group: 'Service accounts',
  summary: 'list the service accounts',
  options: { ...placeOptions, ...listOptions },
  example: 'postern service-accounts list --json',
  run: async (call) => {
    const limit = pageLimit(call)
    await withPart(call, accountPart, ({ serviceAccounts }) =>
      showList(call, serviceAccounts({ limit }), listing),
    )
    return 0
  },
}

export const serviceAccountsRotate: Command = {
  name: 'service-accounts rotate',
  group: 'Service accounts',
  summary: 'give a service account another key; its others end after an overlap',
  words: 'EMAIL',
  options: {
    ...placeOptions,
    overlap: {
      type: 'string',
      placeholder: 'TIME',
      description: 'How long its other keys go on working: 0s, 30m, 12h or 7d (default 1h).',
    },
    json: fileOption,
  },
  details: 'Writes a file named after it, readable by you alone, with the only copy of the new private key.',
  example: 'postern service-accounts rotate robot@postern.iam.gate.example --overlap 1d',
  run: async (call) => {
    const email = onlyWord(call, 'service account, by its e-mail')
    const seconds = readDuration(textOption(call, 'overlap') ?? '1h', '--overlap')
    const rotate = (): Promise<CredentialsFile> =>
      withPart(call, accountPart, (accounts) => accounts.rotate(email, seconds))
    if (hasFlag(call, 'json')) printJson(call, await rotate())
    else await writeCredentials(call, { name: email, headline: 'Made another key of' }, rotate)
    return 0
  },
}

export const serviceAccountsDisable: Command = {
  name: 'service-accounts disable',
  group: 'Service accounts',
  summary: 'refuse the keys of a service account from now on',
  words: 'EMAIL',
  options: { ...placeOptions, json: jsonOption },
  details: 'Access tokens given before end by themselves, after authority.accessTokenSeconds at the latest.',
  example: 'postern service-accounts disable robot@postern.iam.gate.example',
  run: (call) => switchAccount(call, 'disabled'),
}

export const serviceAccountsEnable: Command = {
  name: 'service-accounts enable',
  group: 'Service accounts',
  summary: 'accept the keys of a disabled service account again',
  words: 'EMAIL',
  options: { ...placeOptions, json: jsonOption },
  details: 'Keys that were revoked or have expired stay so.',
  example: 'postern service-accounts enable robot@postern.iam.gate.example',
  run: (call) => switchAccount(call, 'active'),
}

async function switchAccount(call: Call, state: ServiceAccount['state']): Promise<number> {
  const email = onlyWord(call, 'service account, by its e-mail')
  await withPart(call, accountPart, (accounts) => accounts.switch(email, state === 'disabled'))
  if (hasFlag(call, 'json')) printJson(call, { email, state })
  else call.io.out(`${email} is ${state === 'disabled' ? 'disabled' : 'enabled'}.\n`)
  return 0
}

const listing: Listing<ServiceAccount> = {
  noun: 'service accounts',
  headings: ['E-MAIL', 'STATE', 'CREATED', 'SCOPES'],
  row: ({ email, state, created_at, scopes }) => [email, state, minuteOf(created_at), scopes.join(' ')],
  none: 'There is no service account yet. Create one with "postern service-accounts create NAME".\n',
}

function createAccount(call: Call, name: string): Promise<CredentialsFile> {
  const project = textOption(call, 'project')
  const given = textOptions(call, 'scope')
  return withPart(call, accountPart, async ({ create, usualScopes }) =>
    create({
      name,
      ...(project === undefined ? {} : { project }),
      scopes: given.length > 0 ? given : await usualScopes(),
    }),
  )
}
