import { ClientError } from '../client-error.ts'
import { createModelClient, type ModelClient } from './create-model-client.ts'
import type { ModelClientOptions } from './model-client-options.ts'
import { keyVariablesOf, resolveCredential } from './resolve-credential.ts'

/** A client of the model API, in a page: for signed-in users and their tokens alone. */
export function modelClient(options: ModelClientOptions = {}): ModelClient {
  const { env = {}, apiKey } = options
  // A build tool may have put the variables of the machine it ran on into the page.
  const isKeyThere = apiKey !== undefined || keyVariablesOf(options).some((name) => (env[name] ?? '') !== '')
  if (isKeyThere) throw keyInPage()
  const resolution = resolveCredential({ ...options, adc: options.adc ?? false }, env)
  return createModelClient(resolution, options, () => {
    throw new ClientError(
      'no_credential',
      'a page has no Application Default Credentials: sign the user in and give `oauth`',
    )
  })
}

function keyInPage(): ClientError {
  return new ClientError(
    'api_key_in_browser',
    'an API key must not be in a page, where every visitor can read it: revoke this one, then sign the user in and give `oauth`, or call the models from your server',
  )
}
