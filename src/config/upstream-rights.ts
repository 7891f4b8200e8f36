/** What a request can have an upstream do with the credential of the gateway, besides answering. */
export const upstreamRights = [
  'files',
  'caches',
  'search',
  'retrieval',
  'urlContext',
  'codeExecution',
  'otherTools',
  'otherModels',
  'modelArmor',
] as const

export type UpstreamRight = (typeof upstreamRights)[number]
