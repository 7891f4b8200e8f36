/** The query of a request, as `URLSearchParams` or as the object that most frameworks make of it. */
export type Query = URLSearchParams | Readonly<Record<string, string | readonly string[] | undefined>>

/** Stands for a parameter with two values: whichever we took, another reader of the URL could take the other. */
export const repeated: unique symbol = Symbol('repeated')

export type Parameter = readonly [name: string, value: string]

/** All parameters in order; a repeated one stays repeated, and anything that is not text is left to be refused. */
export function parametersOf(query: Query): readonly (readonly [name: string, value: unknown])[] {
  if (query instanceof URLSearchParams) return [...query]
  const parameters: [string, unknown][] = []
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (Array.isArray(value)) for (const one of value) parameters.push([name, one])
    else parameters.push([name, value])
  }
  return parameters
}
