import { setTimeout as delay } from 'node:timers/promises'
import { Type } from 'typebox'
import { defineTool } from '../../src/mcp/define-tool.ts'
import type { ContentBlock, Tool } from '../../src/mcp/tool.ts'

/** The keyword of JSON Schema, spelled so that no linter takes the schema for a promise. */
const thenPhone: object = JSON.parse('{"then":{"required":["phone"]}}')

/** The tools that the official conformance suite looks for. */
export const tools: readonly Tool[] = [
  defineTool({
    ...withoutInput('test_simple_text', 'Answers with a text.'),
    run: () => 'This is a simple text response for testing.',
  }),
  defineTool({
    ...withoutInput('test_image_content', 'Answers with an image.'),
    run: () => ({ content: [image()] }),
  }),
  defineTool({
    ...withoutInput('test_audio_content', 'Answers with a sound.'),
    run: () => ({ content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] }),
  }),
  defineTool({
    ...withoutInput('test_embedded_resource', 'Answers with a resource.'),
    run: () => ({
      content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    }),
  }),
  defineTool({
    ...withoutInput('test_multiple_content_types', 'Answers with a text, an image and a resource.'),
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image(),
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  }),
  defineTool({
    ...withoutInput('test_error_handling', 'Always fails.'),
    run: () => ({
      content: [{ type: 'text', text: 'This tool intentionally returns an error for testing' }],
      isError: true,
    }),
  }),
  defineTool({
    ...withoutInput('test_tool_with_progress', 'Reports its progress three times.'),
    run: async (_input, { progress, signal }) => {
      for (const done of [0, 50, 100]) {
        progress(done, 100, `Completed step ${done} of 100`)
        await delay(50, undefined, { signal })
      }
      return 'done'
    },
  }),
  defineTool({
    ...withoutInput('test_missing_capability', 'Needs a client that can sample.'),
    requiresCapabilities: { sampling: {} },
    run: () => 'this client can sample',
  }),
  defineTool({
    ...withoutInput(
      'test_streaming_elicitation',
      'Would like to ask back, which no tool of this server can.',
    ),
    run: (_input, { progress }) => {
      progress(1, 1)
      return 'no request leaves this server on the stream of another one'
    },
  }),
  defineTool({
    ...withoutInput('test_logging_tool', 'Works without telling the client about it.'),
    run: () => 'no log message is sent to clients',
  }),
  defineTool({
    name: 'test_header_parameter',
    description: 'Has an argument that clients repeat in the header Mcp-Param-Region.',
    scopes: ['conformance:call'],
    input: Type.Object({ region: Type.String({ 'x-mcp-header': 'Region' }) }),
    run: ({ region }) => `region ${region}`,
  }),
  defineTool({
    name: 'json_schema_2020_12_tool',
    description: 'Has an input schema with keywords of JSON Schema 2020-12.',
    scopes: ['conformance:call'],
    input: Type.Unsafe<Readonly<Record<string, unknown>>>({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      ...thenPhone,
      else: { required: ['email'] },
      additionalProperties: false,
    }),
    run: (input) => JSON.stringify(input),
  }),
]

function withoutInput(
  name: string,
  description: string,
): {
  readonly name: string
  readonly description: string
  readonly scopes: readonly string[]
  readonly input: ReturnType<typeof Type.Object>
} {
  return {
    name,
    description,
    scopes: ['conformance:call'],
    input: Type.Object({}, { additionalProperties: false }),
  }
}

function image(): ContentBlock {
  return { type: 'image', data: redPixel, mimeType: 'image/png' }
}

function resource(uri: string, mimeType: string, text: string): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, text } }
}

const redPixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** A WAV file of no samples. */
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
