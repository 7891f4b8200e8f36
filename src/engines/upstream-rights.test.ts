import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type UpstreamRight, upstreamRights } from '../config/upstream-rights.ts'
import { Failure } from '../failure/failure.ts'
import { type GrantedRights, prepareBodies } from './upstream-rights.ts'

function refusal(body: object | string, allow: readonly UpstreamRight[] = []): Failure | undefined {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return refuser({ name: 'front', model: 'up', allow })(Buffer.from(text))
}

/** The failure alone. */
function refuser(rights: GrantedRights): (body: Buffer | string) => Failure | undefined {
  const prepare = prepareBodies(rights)
  return (body) => {
    const prepared = prepare({ body })
    return prepared instanceof Failure ? prepared : undefined
  }
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
  ['outputGcsUri', { contents, generationConfig: { outputGcsUri: 'gs://internal/out' } }, 'files'],
  ['output_gcs_uri', { contents, generationConfig: { output_gcs_uri: 'gs://internal/out' } }, 'files'],
  ['outputUriPrefix', { contents, outputConfig: { outputUriPrefix: 'gs://internal/out' } }, 'files'],
  ['routingConfig', inConfig({ routingConfig: { manualMode: { modelName: 'other' } } }), 'otherModels'],
  ['routing_config', inConfig({ routing_config: { manual_mode: { model_name: 'other' } } }), 'otherModels'],
  ['modelSelectionConfig', inConfig({ modelSelectionConfig: {} }), 'otherModels'],
  ['modelConfig', inConfig({ modelConfig: { featureSelectionPreference: 'BALANCED' } }), 'otherModels'],
  ['modelArmorConfig', { contents, modelArmorConfig: { promptTemplateName: 'p/t' } }, 'modelArmor'],
  ['model_armor_config', { contents, model_armor_config: { prompt_template_name: 'p/t' } }, 'modelArmor'],
]

function inConfig(generationConfig: object): object {
  return { contents, generationConfig }
}

test('every right is needed for something', () => {
  assert.deepEqual(new Set(forms.map(([, , right]) => right)), new Set(upstreamRights))
})

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
  ['no JSON at all', Buffer.from('contents: none')],
  ['a comma too many, without such a word', Buffer.from('{"contents":[],}')],
  ['white space alone', Buffer.from(' ')],
  ['no end of the nesting', Buffer.from(`{"tools":${'['.repeat(100_000)}`)],
]
for (const [what, body] of lenient)
  test(`what only a lenient reader takes is not passed on: ${what}`, () => {
    const found = refuser({ name: 'front', model: 'up', allow: ['files', 'caches'] })(body)
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
  ['nothing', ''],
  ['the model of the path', { model: 'models/front', contents }],
  ['the model of the path in a request inside', { generateContentRequest: { model: 'front', contents } }],
  ['the model of the path as the upstream calls it', { requests: [{ model: 'models/up' }] }],
  ['a model that is not named', { requests: [{ model: '' }, { model: null }] }],
  ['a name that is longer than those of any field', { contents, [`${'_'.repeat(64)}model`]: 'x' }],
  ['a name with an end of two letters', { contents, t_s: {}, _l: {}, m_: {}, xi: {} }],
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

const otherModels: readonly (readonly [string, object | string])[] = [
  ['of the body', { model: 'models/other', contents }],
  ['of a request inside', { generateContentRequest: { model: 'models/other', contents } }],
  ['of a request of many', { requests: [{ model: 'models/front' }, { model: 'models/other' }] }],
  ['in another case', { MODEL: 'other' }],
  ['with an escape', '{"m\\u006fdel":"models\\/other"}'],
  ['that comes second', '{"model":"front","model":"other"}'],
  ['of another collection', { model: 'tunedModels/front' }],
  ['of another project', { model: 'projects/x/locations/l/publishers/google/models/up' }],
  ['that ends alike', { model: 'not-front' }],
  ['that is no text', { model: ['front'] }],
]
for (const [which, body] of otherModels)
  test(`a model ${which} is refused`, () => {
    const found = refusal(body, upstreamRights)
    assert.deepEqual([found?.code, found?.reason], ['invalid-request', 'invalid_argument'])
    assert.equal(found?.field?.toLowerCase(), 'model')
    assert.match(found?.message ?? '', /^model must be the model of the path, models\/front;/i)
  })

test('a model is known by its whole name of Vertex AI, too', () => {
  const collection = 'projects/p/locations/l/publishers/google/models'
  const refuse = refuser({ name: 'front', model: 'up', collection })
  for (const own of ['up', 'models/up', 'publishers/google/models/up', `${collection}/up`])
    assert.equal(refuse(JSON.stringify({ model: own })), undefined)
  for (const other of ['projects/x/locations/l/publishers/google/models/up', 'endpoints/up', '/up'])
    assert.equal(refuse(JSON.stringify({ model: other }))?.code, 'invalid-request')
  const sent = prepareBodies({ name: 'front', model: 'up', collection })({ body: '{"model":"models/front"}' })
  assert.equal(String(sent), JSON.stringify({ model: `${collection}/up` }))
})

test('a model with an escape is read as it is meant', () => {
  assert.equal(refusal('{"model":"models\\/fr\\u006fnt"}'), undefined)
})

const sent: readonly (readonly [string, string, string])[] = [
  ['its own name', '{"model":"models/front","a":1}', '{"model":"models/up","a":1}'],
  ['a name alone', '{ "model" : "front" }', '{ "model" : "models/up" }'],
  ['an alias', '{"model":"models/emb-1"}', '{"model":"models/up"}'],
  [
    'several requests',
    '{"requests":[{"model":"emb-1","ü":"ü"},{"Model":"front"},{"model":"models/up"},{"ü":"ü"}]}',
    '{"requests":[{"model":"models/up","ü":"ü"},{"Model":"models/up"},{"model":"models/up"},{"ü":"ü"}]}',
  ],
  ['the same one twice', '{"model":"front","model":"emb-1"}', '{"model":"models/up","model":"models/up"}'],
  ['an escape', '{"model":"models\\/fr\\u006fnt"}', '{"model":"models/up"}'],
  ['a byte order mark', '\ufeff{"model":"front"}', '{"model":"models/up"}'],
]
for (const [what, body, expected] of sent)
  test(`an upstream is asked for its model by its own name: ${what}`, () => {
    const prepare = prepareBodies({ name: 'front', model: 'up' })
    for (const given of [body, Buffer.from(body)])
      assert.equal(String(prepare({ body: given, modelName: 'emb-1' })), expected)
  })

test('a body that names no model, or as the upstream does, goes on as it is', () => {
  const prepare = prepareBodies({ name: 'front', model: 'up' })
  const texts = ['{"contents":[]}', '\ufeff{"model" : "up"}', '{"model":"models\\/up"}', '{"model":""}']
  for (const body of texts.flatMap((text) => [text, Buffer.from(text)]))
    assert.equal(prepare({ body, modelName: 'emb-1' }), body)
})

test('a name that another call came by is refused, and the one of this call is told', () => {
  const prepare = prepareBodies({ name: 'front', model: 'up' })
  const found = prepare({ body: '{"model":"models/emb-2"}', modelName: 'emb-1' })
  assert.ok(found instanceof Failure)
  assert.equal(found.message, 'model must be the model of the path, models/emb-1; or leave it out')
})

test('every word that counts is seen, in whatever spelling', () => {
  const spellings = (word: string): readonly string[] => [
    word,
    word.toUpperCase(),
    `_${word}`,
    `${word}_`,
    word.split('').join('_'),
  ]
  const words = 'fileData imageGcsUri gcsUri outputUriPrefix cachedContent routingConfig modelConfig'.split(
    ' ',
  )
  for (const spelled of [...words, 'modelSelectionConfig', 'modelArmorConfig'].flatMap(spellings))
    assert.equal(refusal({ [spelled]: 'x' })?.field, spelled)
  for (const spelled of spellings('tools'))
    assert.equal(refusal({ [spelled]: [{ x: {} }] })?.field, 'tools.x')
  for (const spelled of spellings('model')) assert.equal(refusal({ [spelled]: 'x' })?.field, spelled)
})

test('values without end are refused, however small', () => {
  const many = (values: number): string => `{"contents":[${'0,'.repeat(values - 3)}0]}`
  assert.equal(refusal(many(200_000)), undefined)
  const found = refusal(many(200_001))
  assert.deepEqual([found?.code, found?.reason], ['invalid-request', 'invalid_argument'])
  assert.equal(found?.message, 'Invalid JSON payload received. It may hold at most 200000 values.')
})

test('a refusal of what is no JSON says where, in whole sentences', () => {
  const start = 'Invalid JSON payload received. It is no JSON at position'
  assert.equal(refusal('{"contents":[],}')?.message, `${start} 15.`)
  assert.equal(refusal('{"\\x61":1}')?.message, `${start} 1.`)
})

test('a body as text is read like its bytes', () => {
  const refuse = refuser({ name: 'front', model: 'up' })
  assert.equal(refuse('{"cachedContent":"cachedContents/ü"}')?.field, 'cachedContent')
  assert.equal(refuse('{"contents":[]}'), undefined)
})

test('a refusal quotes no more of a name than a name needs', () => {
  const { message = '', field } = refusal(withTool({ ['x'.repeat(100_000)]: {} })) ?? {}
  assert.equal(field, `tools.${'x'.repeat(64)}`)
  assert.ok(message.length < 400)
})
