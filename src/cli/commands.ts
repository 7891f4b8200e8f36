import { apiKeysCreate, apiKeysRotate } from './api-keys.ts'
import { apiKeysList, apiKeysRevoke } from './api-keys-kept.ts'
import { authority } from './authority.ts'
import { keysList, keysRotate } from './authority-keys.ts'
import { usersAdmin, usersDisable, usersEnable, usersPassword, usersRemove } from './authority-user-access.ts'
import { usersAdd, usersList } from './authority-users.ts'
import type { Command } from './command.ts'
import { configCheck } from './config-check.ts'
import { dev } from './dev.ts'
import { eventsVerify } from './events-verify.ts'
import { help } from './help.ts'
import { serve } from './serve.ts'
import { serviceAccountsCreate, serviceAccountsDisable, serviceAccountsList } from './service-accounts.ts'
import { version } from './version.ts'

export const commands: readonly Command[] = [
  dev,
  serve,
  authority,
  usersAdd,
  usersList,
  usersPassword,
  usersAdmin,
  usersDisable,
  usersEnable,
  usersRemove,
  keysList,
  keysRotate,
  apiKeysCreate,
  apiKeysList,
  apiKeysRotate,
  apiKeysRevoke,
  serviceAccountsCreate,
  serviceAccountsList,
  serviceAccountsDisable,
  eventsVerify,
  configCheck,
  help,
  version,
]
