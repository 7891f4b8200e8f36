import type pg from 'pg'

/** Planning a page costs as much as reading it (0.1 of 0.2 ms), so each text is prepared once per connection. */
export function preparing(client: pg.PoolClient, { nameOf, explain }: Preparing): pg.PoolClient {
  let isLost = false
  const send = (text: string, values: unknown[]): Promise<pg.QueryResult> => {
    const name = nameOf(text)
    return name === undefined ? client.query(text, values) : client.query({ name, text, values })
  }
  const query = async (text: string, values: unknown[] = []): Promise<pg.QueryResult> => {
    try {
      return await send(text, values)
    } catch (error) {
      if (isOutdated(error) && client.getTransactionStatus() === 'I') return client.query(text, values)
      isLost ||= isFatal(error)
      throw explain(error)
    }
  }
  // A connection that its server has ended must not go back into the pool.
  const release = (): void => client.release(isLost)
  return new Proxy(client, {
    get: (target, property) => {
      if (property === 'query') return query
      return property === 'release' ? release : Reflect.get(target, property, target)
    },
  })
}

interface Preparing {
  readonly nameOf: StatementNames
  readonly explain: (error: unknown) => unknown
}

/** The name under which a text is prepared; undefined for a text that is sent as it is. */
export type StatementNames = (sql: string) => string | undefined

/** Every connection of a server keeps what it has prepared, so a bounded number of texts gets a name. */
export function statementNames(): StatementNames {
  const names = new Map<string, string>()
  return (sql) => {
    const known = names.get(sql)
    if (known !== undefined || names.size === most || !/^\s*(select|insert|update|delete|with)\b/i.test(sql))
      return known
    const name = `postern_${names.size}`
    names.set(sql, name)
    return name
  }
}

const most = 200

/** Somebody changed a table under a prepared `select *`; outside a transaction nothing is lost by asking again. */
function isOutdated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '0A000'
}

function isFatal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'FATAL'
}
