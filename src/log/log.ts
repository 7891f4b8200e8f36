import { type DestinationStream, type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino'
import { redactNames } from './redact-names.ts'
import { redactShapes } from './redact-shapes.ts'
import { valueRedactor } from './redact-values.ts'
import { wholeLine } from './whole-line.ts'

export type Log = Logger

export interface LogOptions {
  readonly level?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** Standard output unless given. */
  readonly destination?: DestinationStream
  /** Values that must not appear in any line, in whatever field; those shorter than 8 characters are ignored. */
  readonly secrets?: readonly string[]
}

/** JSON lines. What is logged passes three gates: secrets by name, then by value, then by shape. */
export function createLog(options: LogOptions = {}): Log {
  const redactValues = valueRedactor(options.secrets ?? [])
  const settings: LoggerOptions = {
    level: options.level ?? 'info',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: (described: unknown) => described },
    hooks: {
      logMethod(args, method) {
        Reflect.apply(method, this, cleanArguments(args))
      },
      streamWrite: (line) => wholeLine(line, redactShapes(redactValues(line))),
    },
  }
  const log = options.destination === undefined ? pino(settings) : pino(settings, options.destination)
  return cleanBindings(log)
}

function cleanArguments(args: readonly unknown[]): unknown[] {
  const [first, ...rest] = args
  if (first instanceof Error && rest.length === 0) return [{ err: redactNames(first) }, first.message]
  if (first instanceof Error) return [{ err: redactNames(first) }, ...rest.map(redactNames)]
  return args.map(redactNames)
}

/** pino writes the bindings of a child without its hooks, and a child's own serializers would see the raw values. */
function cleanBindings(log: Log): Log {
  const child: Log['child'] = Reflect.get(log, 'child')
  const setBindings: Log['setBindings'] = Reflect.get(log, 'setBindings')
  return Object.defineProperties(log, {
    child: {
      value(this: Log, bindings: object, options: object = {}): Log {
        const kept = Object.entries(options).filter(([name]) => name === 'level' || name === 'msgPrefix')
        const rest = kept.length === 0 ? [] : [Object.fromEntries(kept)]
        return Reflect.apply(child, this, [redactNames(bindings), ...rest])
      },
    },
    setBindings: {
      value(this: Log, bindings: object): void {
        Reflect.apply(setBindings, this, [redactNames(bindings)])
      },
    },
  })
}
