import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { createRareWarning } from '../log/rare-warning.ts'

/** Whose body it is: one caller cannot take all the room. */
interface BodyOwner {
  readonly issuer: string
  readonly subject: string
}

/** Asks for room for so many further bytes. */
export type TakeRoom = (bytes: number) => Failure | undefined

/** The bodies that are held in memory, of all requests together. */
export interface BodyBudget {
  /**
   * Takes room until the answer is over, however it ends; throws where there is none. For a body of unknown length, room is
   * to be asked for as it comes.
   */
  readonly hold: (
    response: ServerResponse,
    owner: BodyOwner,
    bytes: number | undefined,
  ) => TakeRoom | undefined
  /** In bytes. */
  readonly held: () => number
}

export interface BodyBudgetOptions {
  readonly bytes: number
  readonly log: Log
}

export function createBodyBudget({ bytes: most, log }: BodyBudgetOptions): BodyBudget {
  const warn = createRareWarning(log, () => performance.now())
  const share = Math.floor(most / 2)
  const byOwner = new Map<string, number>()
  let total = 0

  function refusal(owner: string, more: number): Failure | undefined {
    if ((byOwner.get(owner) ?? 0) + more > share) return tooMuchOfOne(share)
    if (total + more <= most) return undefined
    const full = noRoom()
    warn(
      `bodies are refused: ${most} bytes are held at most; to hold more, raise server.bodyBudgetBytes`,
      full,
    )
    return full
  }

  function add(owner: string, bytes: number): void {
    const own = (byOwner.get(owner) ?? 0) + bytes
    if (own === 0) byOwner.delete(owner)
    else byOwner.set(owner, own)
    total += bytes
  }

  return {
    held: () => total,
    hold: (response, { issuer, subject }, bytes) => {
      if (bytes !== undefined && bytes <= notCounted) return undefined
      const owner = `${issuer} ${subject}`
      let own = 0
      // Who has left would never be seen to leave.
      let isOver = response.destroyed
      const take = (more: number): Failure | undefined => {
        const refused = isOver ? undefined : refusal(owner, more)
        if (isOver || refused !== undefined) return refused
        own += more
        add(owner, more)
        return undefined
      }
      response.once('close', () => {
        if (isOver) return
        isOver = true
        add(owner, -own)
      })
      if (bytes === undefined) return take
      const refused = take(bytes)
      if (refused !== undefined) throw refused
      return undefined
    },
  }
}

/** A connection takes as much by itself. */
const notCounted = 16 * 1024

/** Undefined where the end will tell; of what is longer than `limit` nothing is read. */
export function announcedLength({ headers }: IncomingMessage, limit: number): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  return Math.min(Number(headers['content-length'] ?? 0), limit)
}

function tooMuchOfOne(share: number): Failure {
  return new Failure(
    'limit-exceeded',
    `the bodies of your requests under way may have at most ${share} bytes together; wait for one of them to end`,
    { reason: 'bodies_of_one_full', retryAfterSeconds },
  )
}

function noRoom(): Failure {
  return new Failure('unavailable', 'there is no room for further bodies at the moment; try again', {
    reason: 'bodies_full',
    retryAfterSeconds,
  })
}

const retryAfterSeconds = 1
