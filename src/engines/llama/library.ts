import { llamaInstall } from '../../config/llama-install.ts'
import { Failure } from '../../failure/failure.ts'

type Library = typeof import('node-llama-cpp')

/** Fails at once, and says what to do, where the package is not installed. */
export function requireLibrary(resolve: (name: string) => string = resolved): void {
  try {
    resolve('node-llama-cpp')
  } catch (cause) {
    throw new Failure(
      'misconfigured',
      'a model with "engine: llama" needs the package node-llama-cpp, which is not installed; install it with ' +
        `"${llamaInstall}" (on another system the ` +
        'package of that name, such as @node-llama-cpp/mac-arm64-metal or @node-llama-cpp/win-x64)',
      { cause, field: 'models' },
    )
  }
}

export function loadLibrary(): Promise<Library> {
  return import('node-llama-cpp')
}

function resolved(name: string): string {
  return import.meta.resolve(name)
}
