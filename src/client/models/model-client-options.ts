import type { OAuth } from '../oauth/oauth-options.ts'
import type { RetryOptions } from '../retry-policy.ts'

/** The environment of the program: `process.env` where there is one. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Who calls: at most one of the first four. Without any, the environment says; see `resolveCredential`. */
export interface CredentialOptions {
  readonly apiKey?: string | undefined
  /** As a function it is asked before each call. */
  readonly accessToken?: string | (() => string | Promise<string>) | undefined
  /** A signed-in user, of `createOAuth`. */
  readonly oauth?: Pick<OAuth, 'fetch' | 'resource' | 'token'> | undefined
  /** True: Application Default Credentials, whatever the environment says; false: never these. */
  readonly adc?: boolean | undefined
  /** Where the first name that has a value is taken. Default `GOOGLE_API_KEY`, then `GEMINI_API_KEY`. */
  readonly keyVariables?: readonly string[] | undefined
}

/** What is called: the developer API or, with `vertexai`, the enterprise platform with a project and a location. */
export interface PlaceOptions {
  /** Default: the server that `oauth` is for, then `GOOGLE_GEMINI_BASE_URL` or `GOOGLE_VERTEX_BASE_URL`, then Google's. */
  readonly baseUrl?: string | URL | undefined
  /** The platform flag. Default: `GOOGLE_GENAI_USE_ENTERPRISE`, then `GOOGLE_GENAI_USE_VERTEXAI`. */
  readonly vertexai?: boolean | undefined
  /** Default `GOOGLE_CLOUD_PROJECT`. */
  readonly project?: string | undefined
  /** Default `GOOGLE_CLOUD_LOCATION`, then `global`. */
  readonly location?: string | undefined
  /** Default `v1beta`, and `v1beta1` with `vertexai`. */
  readonly apiVersion?: string | undefined
  /** Lets a credential travel unencrypted to another machine. Default false. */
  readonly allowHttp?: boolean | undefined
}

export interface ModelClientOptions extends CredentialOptions, PlaceOptions {
  /** `process.env`, for example; without it no variable is read. */
  readonly env?: Variables | undefined
  /** The key goes into the header `x-<vendor>-api-key`. Default `goog`. */
  readonly vendor?: string | undefined
  /** What tokens of Application Default Credentials are for. Default: the scope `cloud-platform`. */
  readonly scopes?: readonly string[] | undefined
  readonly retries?: RetryOptions | undefined
  /** Default: the global `fetch`. With `oauth`, that of `oauth`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** A longer answer, or event of a stream, is refused. Default 64 MiB. */
  readonly maxBytes?: number | undefined
}
