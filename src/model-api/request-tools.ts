import type { Tool, ToolConfig } from '../engines/content.ts'
import { anything, choice, flag, float, int32, type Kind, struct, text } from './json-kinds.ts'
import { list, message } from './json-message.ts'
import { schema } from './request-schema.ts'

const functionDeclaration = message('FunctionDeclaration', {
  name: text,
  description: text,
  parameters: schema,
  parametersJsonSchema: anything,
  response: schema,
  responseJsonSchema: anything,
  behavior: choice('FunctionDeclaration.Behavior', ['UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING']),
})

const fileSearch = message('FileSearch', {
  fileSearchStoreNames: list(text),
  topK: int32,
  metadataFilter: text,
})

/** Tools that run on the far side are known by name; what they hold is for those who serve them to check. */
export const tool: Kind<Tool> = message('Tool', {
  functionDeclarations: list(functionDeclaration),
  googleSearch: struct,
  googleSearchRetrieval: struct,
  codeExecution: struct,
  urlContext: struct,
  fileSearch,
  computerUse: struct,
  googleMaps: struct,
  mcpServers: anything,
  retrieval: struct,
  enterpriseWebSearch: struct,
  exaAiSearch: struct,
  parallelAiSearch: struct,
})

export const toolConfig: Kind<ToolConfig> = message('ToolConfig', {
  functionCallingConfig: message('FunctionCallingConfig', {
    mode: choice(
      'FunctionCallingConfig.Mode',
      ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'],
      true,
    ),
    allowedFunctionNames: list(text),
    streamFunctionCallArguments: flag,
  }),
  retrievalConfig: message('RetrievalConfig', {
    latLng: message('LatLng', { latitude: float, longitude: float }),
    languageCode: text,
  }),
  includeServerSideToolInvocations: flag,
})
