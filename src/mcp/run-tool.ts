import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import type { CallContext } from './call-context.ts'
import type { Caller, Callers } from './callers.ts'
import type { Deadlines } from './deadlines.ts'
import type { Era } from './revisions.ts'
import type { ToolResult } from './tool.ts'
import { errorResult, resultMembers } from './tool-result.ts'
import type { PreparedTool } from './tool-set.ts'

export interface ToolRunnerOptions {
  readonly timeoutSeconds: number
  readonly outputLimitBytes: number
  readonly callers: Callers
  readonly deadlines: Deadlines
  readonly now: () => number
  readonly log: Log
}

interface ToolRun {
  readonly prepared: PreparedTool
  readonly input: unknown
  readonly context: CallContext
  readonly caller: Caller
  readonly era: Era
}

/** Runs a tool within its limits. Whatever happens inside becomes a result: its members, without braces. */
export type ToolRunner = (run: ToolRun) => string | Promise<string>

export function createToolRunner(options: ToolRunnerOptions): ToolRunner {
  const { callers } = options
  return (run) => {
    if (callers.isBusy(run.caller))
      throw new Failure('limit-exceeded', 'too many calls of yours are under way; wait for one to end', {
        reason: 'too_many_calls',
      })
    try {
      const result = run.prepared.tool.call(run.input, run.context)
      return result instanceof Promise ? follow(result, run, options) : membersOf(result, run, options)
    } catch (error) {
      return brokenMembers(error, run, options)
    }
  }
}

/** The place of a call is taken until its tool is really done or out of time, even when the caller has left. */
function follow(result: Promise<ToolResult>, run: ToolRun, options: ToolRunnerOptions): Promise<string> {
  const { callers, deadlines, now } = options
  const seconds = run.prepared.tool.timeoutSeconds ?? options.timeoutSeconds
  callers.enter(run.caller)
  return new Promise((resolve) => {
    let isOver = false
    const settle = (members: string): void => {
      if (isOver) return
      isOver = true
      deadlines.remove(deadline)
      callers.leave(run.caller)
      resolve(members)
    }
    const deadline = {
      at: now() + seconds * 1000,
      expire: () => {
        const message = `${run.prepared.name} took longer than ${seconds} seconds`
        run.context.cancel(new Failure('timeout', message))
        settle(resultMembers(errorResult(`${message} and was stopped`), run.era))
      },
    }
    deadlines.add(deadline)
    result.then(
      (value) => settle(membersOf(value, run, options)),
      (error) => settle(brokenMembers(error, run, options)),
    )
  })
}

function membersOf(result: ToolResult, run: ToolRun, options: ToolRunnerOptions): string {
  const { outputLimitBytes: limit } = options
  try {
    const members = resultMembers(result, run.era)
    if (!isLongerThan(limit, members)) return members
  } catch (error) {
    return brokenMembers(error, run, options)
  }
  const text = `the output of ${run.prepared.name} is larger than ${limit} bytes; ask for less`
  return resultMembers(errorResult(text), run.era)
}

/** A character takes one to three bytes, so most texts need no counting. */
function isLongerThan(limit: number, text: string): boolean {
  if (text.length > limit) return true
  return text.length * 3 > limit && Buffer.byteLength(text) > limit
}

/** A failure that a tool words for its caller is passed on; anything else may hold paths and secrets, and is logged. */
function brokenMembers(error: unknown, run: ToolRun, { log }: ToolRunnerOptions): string {
  const { name } = run.prepared
  const { requestId } = run.context
  if (error instanceof Failure && !isOurs(error)) return resultMembers(errorResult(error.message), run.era)
  // Callers hang up all the time, and tools do well to stop then.
  const isHangUp = run.context.isAbandoned && error instanceof Error && error.name === 'AbortError'
  log[isHangUp ? 'debug' : 'warn']({ err: error, tool: name, request_id: requestId }, 'a tool failed')
  const text = `${name} failed; the log of the server has the cause under request id ${requestId}`
  return resultMembers(errorResult(text), run.era)
}

function isOurs({ code }: Failure): boolean {
  return code === 'internal' || code === 'misconfigured'
}
