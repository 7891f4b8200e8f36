import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import type { CredentialsFile, CredentialsPlace } from '../store/service-account-file.ts'
import type { ServiceAccount } from '../store/tables-service-accounts.ts'
import {
  type Call,
  type Command,
  configOption,
  hasFlag,
  jsonOption,
  onlyWord,
  printJson,
  textOption,
  textOptions,
} from './command.ts'
import { formatTable, formatTime, isoTime } from './table.ts'

export const serviceAccountsCreate: Command = {
  name: 'service-accounts create',
  group: 'Service accounts',
  summary: 'create an identity for a program, with its credentials file',
  words: 'NAME',
  options: {
    config: configOption,
    project: { type: 'string', placeholder: 'PROJECT', description: 'Its project (default postern).' },
    scope: {
      type: 'string',
      placeholder: 'SCOPE',
      multiple: true,
      description: 'The most that its tokens may hold (default the one of the model API).',
    },
    json: { type: 'boolean', description: 'Print the credentials file instead of writing it.' },
  },
  details: [
    'Writes NAME.json, readable by you alone. It holds the only copy of the private key.',
    'GOOGLE_APPLICATION_CREDENTIALS can point at it.',
  ].join('\n'),
  example: 'postern service-accounts create robot --scope notes:read --scope notes:write',
  run: async (call) => {
    const name = onlyWord(call, 'service account')
    if (hasFlag(call, 'json')) printJson(call, await createAccount(call, name))
    else call.io.out(howToUse(await writeCredentials(call, name)))
    return 0
  },
}

export const serviceAccountsList: Command = {
  name: 'service-accounts list',
  group: 'Service accounts',
  summary: 'list the service accounts',
  options: { config: configOption, json: jsonOption },
  example: 'postern service-accounts list --json',
  run: async (call) => {
    const { withStore } = await import('./with-store.ts')
    const { everyServiceAccount } = await import('./service-account-list.ts')
    const all = await withStore(call, everyServiceAccount)
    if (hasFlag(call, 'json')) printJson(call, { serviceAccounts: all.map(accountForMachines) })
    else call.io.out(all.length === 0 ? noneYet : formatTable(headings, all.map(accountForPeople), call.io))
    return 0
  },
}

export const serviceAccountsDisable: Command = {
  name: 'service-accounts disable',
  group: 'Service accounts',
  summary: 'refuse the keys of a service account from now on',
  words: 'EMAIL',
  options: { config: configOption },
  details: 'Access tokens given before end by themselves, after authority.accessTokenSeconds at the latest.',
  example: 'postern service-accounts disable robot@postern.iam.gate.example',
  run: async (call) => {
    const email = onlyWord(call, 'service account, by its e-mail')
    const { withStore } = await import('./with-store.ts')
    const { createServiceAccounts } = await import('../store/service-accounts.ts')
    await withStore(call, async ({ store, now }) => {
      const accounts = createServiceAccounts(store, now)
      if (await accounts.disable(email)) return
      const isThere = (await accounts.findByEmail(email)) !== undefined
      throw isThere
        ? new Failure('conflict', `${email} is disabled already`)
        : new Failure('not-found', `there is no service account "${email}"; ${seeList}`)
    })
    call.io.out(`${email} is disabled.\n`)
    return 0
  },
}

const seeList = '"postern service-accounts list" shows their e-mails'
const noneYet = 'There is no service account yet. Create one with "postern service-accounts create NAME".\n'
const headings = ['E-MAIL', 'STATE', 'CREATED', 'SCOPES']

async function createAccount(call: Call, name: string): Promise<CredentialsFile> {
  const { withStore } = await import('./with-store.ts')
  const { createServiceAccounts } = await import('../store/service-accounts.ts')
  const project = textOption(call, 'project')
  const given = textOptions(call, 'scope')
  return withStore(call, ({ store, config, now }) =>
    createServiceAccounts(store, now).create({
      ...placeOf(config),
      name,
      ...(project !== undefined && { project }),
      scopes: given.length > 0 ? given : [`${config.scopeBase}/cloud-platform`],
    }),
  )
}

function placeOf({ server, authority }: Config): CredentialsPlace {
  return { universeDomain: new URL(server.publicUrl).hostname, tokenUri: `${authority.issuer}/token` }
}

/** The file is claimed before the account is made: a key that cannot be written down would be lost. */
async function writeCredentials(call: Call, name: string): Promise<{ file: string; email: string }> {
  const { claimFile } = await import('./claim-file.ts')
  const file = `${name.replaceAll(/[^\w.-]/g, '_')}.json`
  await using claimed = await claimFile(call.io.cwd, file)
  const credentials = await createAccount(call, name)
  await claimed.write(`${JSON.stringify(credentials, null, 2)}\n`)
  return { file, email: credentials.client_email }
}

function howToUse({ file, email }: { readonly file: string; readonly email: string }): string {
  return `Created ${email}.
Its key is in ${file}, readable by you alone, and nowhere else. Official clients find it by

  export GOOGLE_APPLICATION_CREDENTIALS="$PWD/${file}"
`
}

function accountForPeople({ email, disabled_at, created_at, scopes }: ServiceAccount): string[] {
  return [email, disabled_at === null ? 'active' : 'disabled', formatTime(created_at), scopes]
}

function accountForMachines(account: ServiceAccount): object {
  const { id, email, name, project, scopes, created_at, disabled_at } = account
  return {
    id,
    email,
    name,
    project,
    scopes: scopes === '' ? [] : scopes.split(' '),
    createdAt: isoTime(created_at),
    disabledAt: disabled_at === null ? null : isoTime(disabled_at),
  }
}
