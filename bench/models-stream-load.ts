import { connect } from 'node:net'

/** Streams on plain sockets, either one after another or many at once. */
export interface StreamOrder {
  readonly port: number
  readonly request: string
  /** At the same time. */
  readonly connections: number
  /** On each connection, one after another. */
  readonly streams: number
}

export interface StreamReport {
  /** Those that came to their end with every event. */
  readonly complete: number
  readonly events: number
  /** From the request to the first event. */
  readonly medianFirstMs: number
}

process.on('message', (order: StreamOrder) => {
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

async function run(order: StreamOrder): Promise<StreamReport> {
  const request = Buffer.from(order.request)
  const firsts: number[] = []
  let events = 0
  const counts = await Promise.all(Array.from({ length: order.connections }, drive))
  firsts.sort((left, right) => left - right)
  return {
    complete: counts.reduce((sum, count) => sum + count, 0),
    events,
    medianFirstMs: firsts[Math.floor(firsts.length / 2)] ?? Number.NaN,
  }

  /** How many streams of one connection came to their end. */
  function drive(): Promise<number> {
    const socket = connect({ host: '127.0.0.1', port: order.port, noDelay: true })
    return new Promise((resolve) => {
      let done = 0
      let sentAt = 0
      let isFirst = true
      let tail = ''
      const send = (): void => {
        isFirst = true
        sentAt = performance.now()
        socket.write(request)
      }
      socket.once('connect', send)
      socket.once('error', () => socket.destroy())
      socket.once('close', () => resolve(done))
      socket.on('data', (bytes: Buffer) => {
        const text = tail + bytes.toString('latin1')
        const begun = text.split('data: ').length - 1
        if (isFirst && begun > 0) {
          firsts.push(performance.now() - sentAt)
          isFirst = false
        }
        events += begun
        const isEnd = text.endsWith('\r\n0\r\n\r\n')
        // What could be the beginning of a mark that the next bytes complete.
        tail = isEnd ? '' : text.slice(-6).replaceAll('data: ', '      ')
        if (!isEnd) return
        done += 1
        if (done < order.streams) send()
        else socket.destroy()
      })
    })
  }
}
