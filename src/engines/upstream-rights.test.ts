import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Failure } from '../failure/failure.ts'
import { refuseForeignRights, type UpstreamRight } from './upstream-rights.ts'

function refusal(body: object | string, allow: readonly UpstreamRight[] = []): Failure | undefined {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return refuseForeignRights({ name: 'front', allow })(Buffer.from(text))
}

const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
const file = { mimeType: 'text/plain', fileUri: 'gs://internal/pay.csv' }

function inPart(part: object): object {
  return { contents: [...contents, { parts: [{ text: 'a' }, part] }] }
}

function withTool(tool: object): object {
  return { contents, tools: [{ functionDeclarations: [{ name: 'f' }] }, tool] }
}

const forms: readonly (readonly [string, object, UpstreamRight])[] = [
  ['fileData', inPart({ fileData: file }), 'files'],
  ['file_data', inPart({ file_data: file }), 'files'],
  ['fileData', { contents, systemInstruction: { parts: { fileData: file } } }, 'files'],
  ['fileData', { content: { parts: [{ fileData: file }] } }, 'files'],
  ['fileData', { requests: [{ content: { parts: [{ fileData: file }] } }] }, 'files'],
  ['fileData', { generateContentRequest: inPart({ fileData: file }) }, 'files'],
  ['fileData', inPart({ functionResponse: { name: 'f', parts: [{ fileData: file }] } }), 'files'],
  ['gcsUri', { instances: [{ image: { gcsUri: 'gs://internal/a.png' } }] }, 'files'],
  ['gcs_uri', { instances: [{ image: { gcs_uri: 'gs://internal/a.png' } }] }, 'files'],
  ['cachedContent', { contents, cachedContent: 'projects/p/cachedContents/1' }, 'caches'],
  ['cached_content', { contents, cached_content: 'cachedContents/1' }, 'caches'],
  ['tools.googleSearch', withTool({ googleSearch: {} }), 'search'],
  ['tools.google_search', withTool({ google_search: {} }), 'search'],
  ['tools.googleSearchRetrieval', withTool({ googleSearchRetrieval: {} }), 'search'],
  ['tools.enterpriseWebSearch', withTool({ enterpriseWebSearch: {} }), 'search'],
  ['tools.googleMaps', withTool({ googleMaps: {} }), 'search'],
  ['tools.exaAiSearch', withTool({ exaAiSearch: {} }), 'search'],
  ['tools.parallelAiSearch', withTool({ parallelAiSearch: {} }), 'search'],
  ['tools.retrieval', withTool({ retrieval: { vertexRagStore: { ragCorpora: ['c'] } } }), 'retrieval'],
  ['tools.fileSearch', withTool({ fileSearch: { fileSearchStoreNames: ['s'] } }), 'retrieval'],
  ['tools.file_search', withTool({ file_search: { file_search_store_names: ['s'] } }), 'retrieval'],
  ['tools.urlContext', withTool({ urlContext: {} }), 'urlContext'],
  ['tools.url_context', withTool({ url_context: {} }), 'urlContext'],
  ['tools.codeExecution', withTool({ codeExecution: {} }), 'codeExecution'],
  ['tools.code_execution', withTool({ code_execution: {} }), 'codeExecution'],
  ['tools.mcpServers', withTool({ mcpServers: [{ url: 'https://x.example' }] }), 'otherTools'],
  ['tools.somethingNew', withTool({ somethingNew: {} }), 'otherTools'],
  ['tools.googleSearch', { contents, tools: { googleSearch: {} } }, 'search'],
]

for (const [field, body, right] of forms)
  test(`${field} needs the right to ${right}: ${JSON.stringify(body).slice(0, 90)}`, () => {
    const found = refusal(body)
    assert.deepEqual([found?.code, found?.reason, found?.field], ['forbidden', 'upstream_right', field])
    assert.match(found?.message ?? '', new RegExp(`^${field} is not allowed for the model front`))
    assert.match(found?.message ?? '', new RegExp(`"allow: \\[${right}\\]"`))
    assert.equal(refusal(body, [right]), undefined)
    const others = forms.map(([, , other]) => other).filter((other) => other !== right)
    assert.equal(refusal(body, others)?.field, field)
  })

const hidden: readonly (readonly [string, string])[] = [
  ['an escaped name', '{"contents":[{"parts":[{"f\\u0069leData":{"fileUri":"gs://a"}}]}]}'],
  ['a name of escapes only', '{"\\u0063\\u0061ched_content":"cachedContents/1"}'],
  ['escapes in capitals', '{"\\u0074ool\\u0073":[{"retrie\\u0076al":{}}]}'],
  ['an escaped tool', '{"tools":[{"\\u0067oogleSearch":{}}]}'],
  ['a name that is unset the second time', '{"cachedContent":"cachedContents/1","cachedContent":""}'],
  ['a name that is set the second time', '{"cachedContent":null,"cachedContent":"cachedContents/1"}'],
  ['the same in both spellings', '{"cachedContent":"","cached_content":"cachedContents/1"}'],
  ['a part that comes twice', '{"contents":[{"parts":[{"fileData":{"fileUri":"a"},"fileData":null}]}]}'],
  ['tools that come twice', '{"tools":[{"urlContext":{}}],"tools":[{"functionDeclarations":[]}]}'],
  ['capitals', '{"CACHED_CONTENT":"cachedContents/1","Tools":[{"URLContext":{}}]}'],
  ['white space', '{\r\n\t"cachedContent" :\n"cachedContents/1" }'],
  ['a byte order mark', '\ufeff{"cachedContent":"cachedContents/1"}'],
]
for (const [what, body] of hidden)
  test(`${what} does not hide it`, () => {
    assert.equal(refusal(body)?.code, 'forbidden')
    assert.equal(refusal(body, ['files', 'caches', 'search', 'retrieval', 'urlContext']), undefined)
  })

const lenient: readonly (readonly [string, Buffer])[] = [
  ['an unknown escape', Buffer.from('{"contents":[{"parts":[{"file\\Data":{"fileUri":"a"}}]}]}')],
  ['a broken line', Buffer.from('{"cached\\\nContent":"cachedContents/1"}')],
  ['single quotes', Buffer.from("{'cachedContent':'cachedContents/1'}")],
  ['no quotes', Buffer.from('{cachedContent:"cachedContents/1"}')],
  ['a comma too many', Buffer.from('{"cachedContent":"cachedContents/1",}')],
  ['a second value', Buffer.from('{} {"cachedContent":"cachedContents/1"}')],
  ['two bytes a character', Buffer.from('{"cachedContent":"cachedContents/1"}', 'utf16le')],
  ['no end of the nesting', Buffer.from(`{"tools":${'['.repeat(100_000)}`)],
]
for (const [what, body] of lenient)
  test(`what only a lenient reader takes is not passed on: ${what}`, () => {
    const found = refuseForeignRights({ name: 'front', allow: ['files', 'caches'] })(body)
    assert.deepEqual([found?.code, found?.reason], ['invalid-request', 'invalid_argument'])
  })

const free: readonly (readonly [string, object | string])[] = [
  ['text', { contents }],
  ['text about it', { contents: [{ parts: [{ text: '"fileData": {"cachedContent": tools}' }] }] }],
  ['inline data', inPart({ inlineData: { mimeType: 'image/png', data: 'AAAA' } })],
  ['functions', { contents, tools: [{ functionDeclarations: [{ name: 'googleSearch' }] }] }],
  ['functions in snake_case', { contents, tools: [{ function_declarations: [{ name: 'f' }] }] }],
  ['a screen that the caller moves', withTool({ computerUse: { environment: 'ENVIRONMENT_BROWSER' } })],
  ['a parameter of that name', functionWith({ fileData: { type: 'STRING' }, tools: { type: 'ARRAY' } })],
  ['an argument of that name', inPart({ functionCall: { name: 'f', args: { cachedContent: 'a' } } })],
  ['a result of that name', inPart({ functionResponse: { name: 'f', response: { fileData: {} } } })],
  ['an answer of that name', withSchema('responseSchema', { tools: { type: 'STRING' } })],
  ['an answer in snake_case', withSchema('response_json_schema', { cachedContent: {} })],
  ['an answer of an older SDK', withSchema('_responseJsonSchema', { tools: { type: 'STRING' } })],
  ['fields that are not set', '{"cachedContent":"","tools":[{"googleSearch":null}],"contents":[]}'],
  ['escapes elsewhere', '{"contents":[{"parts":[{"text":"caf\\u00e9 C:\\\\users"}]}]}'],
  ['no JSON without such a word', 'contents: none'],
  ['nothing', ''],
]
for (const [what, body] of free)
  test(`needs no right: ${what}`, () => {
    assert.equal(refusal(body), undefined)
  })

function functionWith(properties: object): object {
  const parameters = { type: 'OBJECT', properties }
  return { contents, tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] }
}

function withSchema(name: string, properties: object): object {
  return { contents, generationConfig: { [name]: { type: 'OBJECT', properties } } }
}

test('a body as text is read like its bytes', () => {
  const refuse = refuseForeignRights({ name: 'front' })
  assert.equal(refuse('{"cachedContent":"cachedContents/ü"}')?.field, 'cachedContent')
  assert.equal(refuse('{"contents":[]}'), undefined)
})

test('a refusal quotes no more of a name than a name needs', () => {
  const { message = '', field } = refusal(withTool({ ['x'.repeat(100_000)]: {} })) ?? {}
  assert.equal(field, `tools.${'x'.repeat(64)}`)
  assert.ok(message.length < 400)
})
