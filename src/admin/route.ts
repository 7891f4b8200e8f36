/** A path of an operation as Fastify spells it: a parameter before a colon ends there, and a colon of the path is doubled. */
export function routeOf(path: string): string {
  return path
    .replaceAll(':', '::')
    .replace(/\{(\w+)\}(::)?/g, (_, name: string, colon?: string) =>
      colon === undefined ? `:${name}` : `:${name}([^:]+)::`,
    )
}
