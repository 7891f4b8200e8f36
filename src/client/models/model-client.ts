import { defaultCredentials } from '../node/default-credentials.ts'
import { createModelClient, type ModelClient } from './create-model-client.ts'
import type { ModelClientOptions } from './model-client-options.ts'
import { resolveCredential } from './resolve-credential.ts'

/** A client of the model API, in Node; the browser has its own. */
export function modelClient(options: ModelClientOptions = {}): ModelClient {
  const resolution = resolveCredential(options, options.env ?? {})
  return createModelClient(resolution, options, defaultCredentials)
}
