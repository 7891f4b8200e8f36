import { apiKeysCreate, apiKeysRotate } from './api-keys.ts'
import { apiKeysList, apiKeysRevoke } from './api-keys-kept.ts'
import { authority } from './authority.ts'
import { keysList, keysRotate } from './authority-keys.ts'
import { usersAdmin, usersDisable, usersEnable, usersPassword, usersRemove } from './authority-user-access.ts'
import { usersAdd, usersList } from './authority-users.ts'
import { callTool } from './call-tool.ts'
import { chat } from './chat.ts'
import type { Command } from './command.ts'
import { completion } from './completion.ts'
import { configCheck } from './config-check.ts'
import { dev } from './dev.ts'
import { doctor } from './doctor.ts'
import { eventsList } from './events.ts'
import { eventsVerify } from './events-verify.ts'
import { generate } from './generate.ts'
import { help } from './help.ts'
import { init } from './init.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { models } from './models.ts'
import { serve } from './serve.ts'
import {
  serviceAccountsCreate,
  serviceAccountsDisable,
  serviceAccountsEnable,
  serviceAccountsList,
  serviceAccountsRotate,
} from './service-accounts.ts'
import { sessionsList, sessionsRevoke, sessionsShow } from './sessions.ts'
import { tools } from './tools.ts'
import { version } from './version.ts'

export const commands: readonly Command[] = [
  dev,
  init,
  serve,
  login,
  logout,
  tools,
  callTool,
  models,
  generate,
  chat,
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
  serviceAccountsRotate,
  serviceAccountsDisable,
  serviceAccountsEnable,
  sessionsList,
  sessionsShow,
  sessionsRevoke,
  eventsList,
  eventsVerify,
  doctor,
  configCheck,
  completion,
  help,
  version,
]
