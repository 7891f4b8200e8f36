/** What a server process has used so far. */
export interface Usage {
  readonly cpuSeconds: number
  readonly residentMegabytes: number
  /** How many decisions to let a call through were reported; 0 where none are. */
  readonly allowed: number
}

/** Tells the parent that this server listens, then answers each of its questions with the usage. */
export function reportUsage(allowed: () => number = () => 0): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    const usage: Usage = {
      cpuSeconds: (user + system) / 1e6,
      residentMegabytes: process.memoryUsage.rss() / 2 ** 20,
      allowed: allowed(),
    }
    process.send?.(usage)
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.('ready')
}
