import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear } from '../../../test/serving/growth.ts'
import { Failure } from '../../failure/failure.ts'
import type { GenerateRequest, GenerationConfig, ToolConfig } from '../content.ts'
import { answerForm } from './answer-form.ts'
import type { Form } from './messages.ts'

const tools = [{ functionDeclarations: [{ name: 'get_weather' }, { name: 'get_time' }] }]
const says = (text: string): GenerateRequest['contents'] => [{ role: 'user', parts: [{ text }] }]
const mode = (name: string, allowedFunctionNames: string[] = []): ToolConfig => ({
  functionCallingConfig: { mode: name, allowedFunctionNames },
})

const callsOf = (form: Form): unknown => form.kind === 'call' && form.functions.map(({ name }) => name)
const formOf = (generationConfig: GenerationConfig): Form =>
  answerForm({ contents: says('hi'), generationConfig })
const refused = (request: GenerateRequest, message: RegExp): void =>
  assert.throws(
    () => answerForm(request),
    (error) => error instanceof Failure && error.code === 'invalid-request' && message.test(error.message),
  )

test('mode ANY calls one of the functions, of the allowed ones, of those that are spelled out', () => {
  const contents = says('hi')
  assert.deepEqual(callsOf(answerForm({ contents, tools, toolConfig: mode('ANY') })), [
    'get_weather',
    'get_time',
  ])
  assert.deepEqual(callsOf(answerForm({ contents, tools, toolConfig: mode('ANY', ['get_time']) })), [
    'get_time',
  ])
  const asked = says('Use get_weather now.')
  assert.deepEqual(callsOf(answerForm({ contents: asked, tools, toolConfig: mode('ANY') })), ['get_weather'])
})

test('a name is found within what a sentence puts around it', () => {
  const said = (text: string): Form => answerForm({ contents: says(text), tools, toolConfig: mode('AUTO') })
  for (const text of ['get_weather.', 'call:- get_weather...', '(get_weather)'])
    assert.deepEqual(callsOf(said(text)), ['get_weather'], text)
  for (const text of ['...', 'get_weather.v2', '-get_weather']) assert.deepEqual(said(text), { kind: 'text' })
})

for (const mark of ['.', 'a.', '-', ' .'])
  test(`the time for a text of many "${mark}" grows as the text does`, async () => {
    await assertLinear((size) => answerForm({ contents: says(mark.repeat(size)) }), 2000)
  })

for (const name of ['AUTO', 'VALIDATED', 'MODE_UNSPECIFIED'])
  test(`mode ${name} calls only what the last turn spells out as a word`, () => {
    const form = (text: string): Form => answerForm({ contents: says(text), tools, toolConfig: mode(name) })
    assert.deepEqual(callsOf(form('Call get_weather, please.')), ['get_weather'])
    assert.deepEqual(form('What about forget_weathers?'), { kind: 'text' })
    assert.deepEqual(form('How is the weather?'), { kind: 'text' })
  })

test('mode NONE answers with text', () => {
  assert.deepEqual(answerForm({ contents: says('get_time'), tools, toolConfig: mode('NONE') }), {
    kind: 'text',
  })
})

test('after the response of a function comes text, whatever the mode', () => {
  const contents = [
    ...says('get_time'),
    { role: 'user', parts: [{ functionResponse: { name: 'get_time' } }] },
  ]
  for (const name of ['AUTO', 'ANY'])
    assert.deepEqual(answerForm({ contents, tools, toolConfig: mode(name) }), { kind: 'text' })
})

test('only the schema of a function that is called is read', () => {
  const odd = [{ functionDeclarations: [{ name: 'odd', parameters: { type: 'STRING', pattern: 'x' } }] }]
  assert.deepEqual(answerForm({ contents: says('hi'), tools: odd }), { kind: 'text' })
  refused({ contents: says('odd'), tools: odd }, /tools\(odd\)\.parameters\.pattern/)
})

test('a call that cannot be made is refused', () => {
  refused({ contents: says('hi'), toolConfig: mode('ANY') }, /must declare a function/)
  refused({ contents: says('hi'), tools, toolConfig: mode('ANY', ['other']) }, /names "other"/)
  refused({ contents: says('hi'), tools, toolConfig: mode('SOME') }, /mode must be/)
  refused(
    { contents: says('hi'), tools: [{ functionDeclarations: [{ name: 'a b' }] }] },
    /must begin with a letter/,
  )
})

test('the MIME type decides on the form', () => {
  assert.deepEqual(formOf({}), { kind: 'text' })
  assert.deepEqual(formOf({ responseMimeType: 'text/plain' }), { kind: 'text' })
  const schema = { type: 'BOOLEAN' }
  const json = { kind: 'json', schema: { kind: 'choice', texts: ['true', 'false'] } }
  assert.deepEqual(formOf({ responseMimeType: 'application/json', responseSchema: schema }), json)
  assert.deepEqual(formOf({ responseMimeType: 'application/json', responseJsonSchema: schema }), json)
  const colours = { type: 'STRING', enum: ['red', 'blue'] }
  assert.deepEqual(formOf({ responseMimeType: 'text/x.enum', responseSchema: colours }), {
    kind: 'choice',
    texts: ['red', 'blue'],
  })
})

test('a choice among other things than texts is one among their JSON', () => {
  const things = { enum: ['1', 2, true, { toString: '', valueOf: '' }], type: 'STRING' }
  assert.deepEqual(formOf({ responseMimeType: 'text/x.enum', responseJsonSchema: things }), {
    kind: 'choice',
    texts: ['1', '2', 'true', '{"toString":"","valueOf":""}'],
  })
})

test('a form that cannot be kept is refused', () => {
  const contents = says('hi')
  const schema = { type: 'STRING' }
  const cases: readonly (readonly [GenerationConfig, RegExp])[] = [
    [{ responseSchema: schema }, /needs responseMimeType/],
    [{ responseMimeType: 'application/json', responseSchema: schema, responseJsonSchema: schema }, /beside/],
    [{ responseMimeType: 'text/x.enum', responseSchema: schema }, /must have an enum/],
    [{ responseMimeType: 'application/xml' }, /responseMimeType must be/],
  ]
  for (const [generationConfig, message] of cases) refused({ contents, generationConfig }, message)
})

test('very many functions, each allowed by its name, take time in proportion to their number', () => {
  const names = Array.from({ length: 40_000 }, (_, index) => `f${index}`)
  const many = [{ functionDeclarations: names.map((name) => ({ name })) }]
  const start = process.cpuUsage()
  const form = answerForm({ contents: says('hi'), tools: many, toolConfig: mode('ANY', names) })
  assert.equal(form.kind === 'call' && form.functions.length, 40_000)
  assert.ok(process.cpuUsage(start).user < 4_000_000)
})
