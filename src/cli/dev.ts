import { type Command, hasFlag } from './command.ts'
import type { Io } from './io.ts'
import type { StopCause } from './stop-on.ts'

export const dev: Command = {
  name: 'dev',
  group: 'Programs',
  summary: 'run everything on this machine, with data in ./data, and say what to try',
  options: { verbose: { type: 'boolean', description: 'Log every request, not only warnings and errors.' } },
  details: [
    'Runs the gateway and the authority as two processes, on ports 8080 and 8081 or the next pair that is free.',
    'Reads no configuration of yours: it writes one, data/dev.yaml, anew at each start. Copy it to make it yours.',
  ].join('\n'),
  example: 'postern dev --verbose',
  run: async (call) => {
    // Loaded when needed: the other commands need no server.
    const { startBoth } = await import('./dev-programs.ts')
    const { stopOn } = await import('./stop-on.ts')
    const { welcome } = await import('./dev-welcome.ts')
    const { io } = call
    const programs = await startBoth(io, { isVerbose: hasFlag(call, 'verbose') })
    // Before the welcome: whoever has read it may send a signal.
    const stopped = stopOn(stopCauses(io), programs, io)
    io.out(welcome(programs, io))
    const code = await Promise.race([stopped, programs.failed])
    io.out('\nStopped.\n')
    return code
  },
}

/** A signal to npm ends its shell, not the program below it; started by hand, it may outlive its shell. */
function stopCauses({ env }: Pick<Io, 'env'>): readonly StopCause[] {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  return env.npm_lifecycle_event === undefined ? signals : [...signals, 'parent gone']
}
