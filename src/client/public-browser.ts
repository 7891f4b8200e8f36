/** `postern/client` for browsers: no module of Node is within reach. */

export {
  type ApiClient,
  apiClient,
  type EventListOptions,
  type ListOptions,
  type Rotation,
  type SessionListOptions,
  type UsageListOptions,
} from './api/api-client.ts'
export type { ApiKey, ApiKeyChanges, ApiKeyLimits, ApiKeyOrder, NewApiKey } from './api/api-key.ts'
export type { ApiOptions } from './api/api-transport.ts'
export type { AuditEvent, EventFilters } from './api/audit-event.ts'
export type { Follow, FollowOptions } from './api/follow-events.ts'
export type {
  CredentialsFile,
  NewServiceAccount,
  ServiceAccount,
  ServiceAccountChanges,
  ServiceAccountKey,
  ServiceAccountOrder,
  ServiceAccountWithKeys,
} from './api/service-account.ts'
export type { Session, SessionFilters } from './api/session.ts'
export type { UsageQuestion, UsageRow } from './api/usage.ts'
export { ClientError, type ClientErrorOptions } from './client-error.ts'
export { type CursorPagesOptions, cursorPages } from './cursor-pages.ts'
export type { ItemParser } from './http-pages.ts'
export type { HttpOptions, RequestHeaders } from './json-request.ts'
export type { Answer, Candidate, TokenCount, Usage } from './models/answer.ts'
export { modelClient } from './models/browser-model-client.ts'
export type {
  AnsweredContent,
  Content,
  Embedding,
  FunctionCall,
  GivenContent,
  InlineData,
  Part,
} from './models/content.ts'
export type { ModelCallOptions, ModelClient, ModelClientIdentity } from './models/create-model-client.ts'
export type { EmbedOptions } from './models/embed.ts'
export type { GenerateRequest, GenerationConfig, GivenRequest } from './models/generate-request.ts'
export type { Model } from './models/model.ts'
export type {
  CredentialOptions,
  ModelClientOptions,
  PlaceOptions,
  Variables,
} from './models/model-client-options.ts'
export { ModelError, type ModelErrorOptions } from './models/model-error.ts'
export { createOAuth } from './oauth/create-oauth.ts'
export { memoryStore } from './oauth/memory-store.ts'
export type {
  AccessToken,
  AuthEvent,
  OAuth,
  OAuthOptions,
  SignInOptions,
  SignInQuestion,
} from './oauth/oauth-options.ts'
export { type PopupOptions, passAnswer, popupRedirect } from './oauth/popup-redirect.ts'
export type { OpenRedirect, Redirect } from './oauth/redirect.ts'
export type { ClientName, StoredClient, StoredGrant, TokenStore } from './oauth/token-store.ts'
export { type OffsetPagesOptions, offsetPages } from './offset-pages.ts'
export type { PageSource, SourcePage } from './page-source.ts'
export { type PageTokenPagesOptions, pageTokenPages } from './page-token-pages.ts'
export type { RetryOptions } from './retry-policy.ts'
export { type ConnectOptions, connectTools } from './tools/connect-tools.ts'
export type {
  CallOptions,
  Progress,
  Tool,
  ToolAnnotations,
  ToolContent,
  ToolResult,
  ToolServer,
} from './tools/tool.ts'
export { type Walk, type WalkOptions, walk } from './walk.ts'
export { walkEnd } from './walk-checks.ts'
export type { JsonObject } from './wire-reader.ts'
