import pg from 'pg'

/** Readers for one pool; `pg`'s own table is shared by every user of the package and stays as it is. */
export const exactValues: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (format === 'binary') return pg.types.getTypeParser(oid, format)
    if (oid === pg.types.builtins.INT8) return safeInteger
    return keptAsText.has(oid) ? String : pg.types.getTypeParser(oid, format)
  },
}

/** A number that is not exact would be worse than an error; `node:sqlite` throws here as well. */
function safeInteger(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new RangeError(`the integer ${text} does not fit a JavaScript number: select it as text`)
}

/** `pg` would cut the microseconds off a time; an array comes as Postgres writes it, because its elements would lose the same. */
const keptAsText: ReadonlySet<number> = new Set(
  Object.values({
    date: [1082, 1182],
    timestamp: [1114, 1115],
    timestamptz: [1184, 1185],
    interval: [1186, 1187],
    numeric: [1700, 1231],
    int8: [1016],
  }).flat(),
)
