import type { Command } from './command.ts'
import { configCheck } from './config-check.ts'
import { dev } from './dev.ts'
import { help } from './help.ts'
import { serve } from './serve.ts'
import { version } from './version.ts'

export const commands: readonly Command[] = [dev, serve, configCheck, help, version]
