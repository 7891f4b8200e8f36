import { connect, type Socket } from 'node:net'

/** A load generator on plain sockets: it does less per call than any server, so that the server is what is measured. */
export interface LoadOrder {
  readonly port: number
  readonly request: string
  readonly connections: number
  /** The load ends after this time, or after this many calls. */
  readonly seconds?: number
  readonly calls?: number
}

export interface LoadReport {
  readonly calls: number
  readonly seconds: number
  readonly medianMs: number
  /** What the generator itself used: less than the server did, or the server was not what was measured. */
  readonly cpuSeconds: number
  /** The last answer, headers included. */
  readonly answer: string
}

process.on('message', (order: LoadOrder) => {
  run(order).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')

async function run(order: LoadOrder): Promise<LoadReport> {
  const { seconds = Infinity, calls = Infinity, connections } = order
  const request = Buffer.from(order.request)
  const latencies = new Float64Array(200_000)
  let started = 0
  let done = 0
  let last: Buffer | undefined
  const usedBefore = process.cpuUsage()
  const start = performance.now()
  const deadline = start + seconds * 1000
  const mayStart = (): boolean => started < calls && performance.now() < deadline
  await Promise.all(Array.from({ length: connections }, drive))
  const { user, system } = process.cpuUsage(usedBefore)
  const elapsed = (performance.now() - start) / 1000
  const taken = latencies.subarray(0, Math.min(done, latencies.length)).toSorted()
  const medianMs = taken[Math.floor(taken.length / 2)] ?? Number.NaN
  return {
    calls: done,
    seconds: elapsed,
    medianMs,
    cpuSeconds: (user + system) / 1e6,
    answer: last?.toString('latin1') ?? '',
  }

  function drive(): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port: order.port, noDelay: true })
    return new Promise((resolve, reject) => {
      let sentAt = 0
      const send = (): void => {
        if (!mayStart()) {
          socket.destroy()
          resolve()
          return
        }
        started += 1
        sentAt = performance.now()
        socket.write(request)
      }
      socket.once('connect', send)
      socket.once('error', reject)
      socket.once('end', () => reject(new Error('the server closed a connection')))
      readAnswers(socket, {
        taken: (answer) => {
          latencies[done % latencies.length] = performance.now() - sentAt
          done += 1
          last = answer
          send()
        },
        refused: reject,
      })
    })
  }
}

interface AnswerListener {
  readonly taken: (answer: Buffer) => void
  readonly refused: (error: Error) => void
}

/** One answer at a time: nothing is sent before the last answer was whole. */
function readAnswers(socket: Socket, { taken, refused }: AnswerListener): void {
  let seen: Buffer | undefined
  socket.on('data', (chunk: Buffer) => {
    const answer = seen === undefined ? chunk : Buffer.concat([seen, chunk])
    if (!isWhole(answer)) {
      seen = answer
      return
    }
    seen = undefined
    if (answer.toString('latin1', 9, 12) === '200') taken(answer)
    else refused(new Error(`the server refused: ${answer.toString('latin1')}`))
  })
}

function isWhole(answer: Buffer): boolean {
  const end = answer.indexOf('\r\n\r\n')
  if (end === -1) return false
  const head = answer.toString('latin1', 0, end).toLowerCase()
  const at = head.indexOf('\r\ncontent-length: ')
  if (at !== -1) return answer.length >= end + 4 + Number.parseInt(head.slice(at + 18), 10)
  return answer.toString('latin1', answer.length - 5) === '0\r\n\r\n'
}
