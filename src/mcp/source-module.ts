import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Failure } from '../failure/failure.ts'
import type { Tool } from './tool.ts'
import type { ToolSource } from './tool-source.ts'

export interface ModuleSourceOptions {
  /** Relative to the directory. */
  readonly path: string
  readonly directory: string
}

/** Tools of the user's own: a file that exports `tools`, a list made with `defineTool`. */
export async function moduleSource({ path, directory }: ModuleSourceOptions): Promise<ToolSource> {
  const refuse = (what: string, cause?: unknown): Failure =>
    new Failure('misconfigured', `tool module ${path}: ${what}`, { cause, field: 'tools.sources' })
  const exported = await load(resolve(directory, path)).catch((cause: unknown) => {
    throw refuse(`it cannot be loaded: ${reasonOf(cause)}`, cause)
  })
  if (!Array.isArray(exported))
    throw refuse('it must export a list: export const tools = [defineTool({ … })]')
  const tools = exported.map((item: unknown, index) => {
    if (isTool(item)) return item
    throw refuse(`tools[${index}] was not made with defineTool`)
  })
  return { name: path, tools: () => tools, onChange: () => undefined, close: async () => undefined }
}

async function load(file: string): Promise<unknown> {
  const loaded: unknown = await import(pathToFileURL(file).href)
  return typeof loaded === 'object' && loaded !== null && 'tools' in loaded ? loaded.tools : undefined
}

/** The first line only: Node adds paths and stacks below it. */
function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ERR_MODULE_NOT_FOUND') return 'the file, or one that it imports, does not exist'
  return cause instanceof Error ? `${cause.name}: ${cause.message.split('\n', 1)[0]}` : 'it throws'
}

function isTool(value: unknown): value is Tool {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['name', 'listing', 'needs', 'call', 'headerParameters'].every((key) => key in value) &&
    'call' in value &&
    typeof value.call === 'function'
  )
}
