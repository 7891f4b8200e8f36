import type { Tool } from '../client/tools/tool.ts'

/** One argument of a tool, as its schema describes it. */
export interface ToolArgument {
  readonly name: string
  readonly schema: unknown
  readonly isRequired: boolean
}

export function argumentsOf({ inputSchema }: Pick<Tool, 'inputSchema'>): readonly ToolArgument[] {
  const { properties, required } = inputSchema
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(Object(properties)).map(([name, schema]) => ({
    name,
    schema,
    isRequired: needed.includes(name),
  }))
}

/** Required ones first; the others with a question mark. */
export function argumentNames(tool: Pick<Tool, 'inputSchema'>): readonly string[] {
  const all = argumentsOf(tool)
  return [
    ...all.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    ...all.filter(({ isRequired }) => !isRequired).map(({ name }) => `${name}?`),
  ]
}
