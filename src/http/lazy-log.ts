import type { FastifyBaseLogger } from 'fastify'
import type { Log } from '../log/log.ts'

/** Fastify asks for a child logger per request; most never log, so the real one is made on first use. */
export function lazyLog(log: Log): FastifyBaseLogger {
  return new LazyLog(log, {})
}

class LazyLog implements FastifyBaseLogger {
  readonly #parent: Log
  readonly #bindings: object
  #made: Log | undefined

  constructor(parent: Log, bindings: object) {
    this.#parent = parent
    this.#bindings = bindings
  }

  get level(): string {
    return (this.#made ?? this.#parent).level
  }
  set level(level: string) {
    this.#log.level = level
  }

  child(bindings: object): FastifyBaseLogger {
    return new LazyLog(this.#parent, { ...this.#bindings, ...bindings })
  }

  fatal(...line: readonly unknown[]): void {
    Reflect.apply(this.#log.fatal, this.#log, line)
  }
  error(...line: readonly unknown[]): void {
    Reflect.apply(this.#log.error, this.#log, line)
  }
  warn(...line: readonly unknown[]): void {
    Reflect.apply(this.#log.warn, this.#log, line)
  }
  info(...line: readonly unknown[]): void {
    Reflect.apply(this.#log.info, this.#log, line)
  }
  debug(...line: readonly unknown[]): void {
    Reflect.apply(this.#log.debug, this.#log, line)
  }
  trace(...line: readonly unknown[]): void {
    Reflect.apply(this.#log.trace, this.#log, line)
  }
  silent(): void {}

  get #log(): Log {
    this.#made ??= this.#parent.child(this.#bindings)
    return this.#made
  }
}
