/** What we use of a compiled schema. */
export interface Validator<Value> {
  readonly Check: (value: unknown) => value is Value
  readonly Errors: (value: unknown) => readonly SchemaError[]
}

interface SchemaError {
  readonly instancePath: string
  readonly message: string
}

/** For the model that called: which parts of its input are wrong, and how. */
export function inputComplaint(tool: string, validator: Validator<unknown>, given: unknown): string {
  const verdict = `the input of ${tool} does not match its schema`
  // The validator takes quadratic time to explain some mistakes, such as many repeated items.
  if (JSON.stringify(given).length > longestExplained) return verdict
  const complaints = validator.Errors(given).map(({ instancePath, message }) => {
    const path = instancePath.slice(1).replaceAll('/', '.')
    return path === '' ? message : `${path} ${message}`
  })
  const named = [...new Set(complaints)].slice(0, mostNamed).join('; ')
  return `${verdict}: ${named}`
}

const mostNamed = 5
const longestExplained = 8192
