import { homedir, platform } from 'node:os'
import { posix, win32 } from 'node:path'

export interface Machine {
  readonly platform: string
  readonly home: string
}

/** Where programs of this system keep such a file; `env` is the environment of the program. */
export function tokenFilePath(
  env: Readonly<Record<string, string | undefined>>,
  machine: Machine = { platform: platform(), home: homedir() },
): string {
  const { home } = machine
  if (machine.platform === 'win32')
    return win32.join(env.LOCALAPPDATA ?? win32.join(home, 'AppData', 'Local'), ...name)
  if (machine.platform === 'darwin') return posix.join(home, 'Library', 'Application Support', ...name)
  const { XDG_STATE_HOME: state = '' } = env
  // The XDG specification: a relative path is invalid and is ignored.
  return posix.join(posix.isAbsolute(state) ? state : posix.join(home, '.local', 'state'), ...name)
}

const name = ['postern', 'tokens.json'] as const
