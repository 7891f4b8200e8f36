import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from './config-schema.ts'
import { parseConfig } from './parse-config.ts'

function limits(text: string): Config['limits'] {
  const models = 'models: [{ name: tiny, engine: story }]\naliases: { other: tiny }\n'
  return parseConfig(`${models}limits: ${text}`, { file: 'x.yaml', env: { MOST: '7' } }).limits
}

test('the limit of a tool or model is a number of calls a minute, or limits one by one', () => {
  const { tools, models } = limits(
    '{ tools: { a: 5, b: { requestsPerDay: 9 } }, models: { tiny: { tokensPerDay: 100, of: everyone } } }',
  )
  assert.deepEqual(tools, { a: 5, b: { requestsPerDay: 9, of: 'principal' } })
  assert.deepEqual(models, { tiny: { tokensPerDay: 100, of: 'everyone' } })
})

test('a limit may come from the environment, in both forms', () => {
  const { tools } = limits(`{ tools: { a: "\${MOST}", b: { requestsPerMinute: "\${MOST}" } } }`)
  assert.deepEqual(tools, { a: 7, b: { requestsPerMinute: 7, of: 'principal' } })
})

test('what is neither a number nor a mapping of limits is refused', () => {
  const right = 'must be an integer of at least 1, or a mapping'
  const wrong: readonly (readonly [string, string])[] = [
    ['{ tools: { a: often } }', `limits.tools.a ${right}, not the text "often"`],
    ['{ tools: { a: } }', `limits.tools.a ${right}, not empty`],
    ['{ tools: { a: [5] } }', `limits.tools.a ${right}, not a list`],
    ['{ tools: { a: { requestsPerMinute: 0 } } }', 'must be an integer of at least 1, not the number 0'],
    ['{ tools: { a: { tokensPerDay: 5 } } }', 'unknown key "tokensPerDay"'],
    ['{ perKey: { requestPerMinute: 5 } }', 'did you mean "requestsPerMinute"?'],
    ['{ perPrincipal: { requestsPerMinute: 5 } }', 'unknown key "requestsPerMinute"'],
  ]
  for (const [text, complaint] of wrong) {
    assert.throws(
      () => limits(text),
      (error) => error instanceof Error && error.message.includes(complaint),
      text,
    )
  }
})

test('an entry that limits nothing is refused', () => {
  for (const text of ['{ tools: { a: {} } }', '{ models: { tiny: { of: everyone } } }'])
    assert.throws(() => limits(text), /must set a limit, such as requestsPerMinute/, text)
})

test('limits are set for models, not for aliases or for what does not exist', () => {
  assert.throws(
    () => limits('{ models: { tyni: 5 } }'),
    /limits\.models\.tyni must name a model; the models are tiny/,
  )
  assert.throws(() => limits('{ models: { other: 5 } }'), /is an alias; .* the model, which is tiny/)
  assert.throws(
    () => parseConfig('limits: { models: { tiny: 5 } }', { file: 'x.yaml', env: {} }),
    /must name a model; there are no models/,
  )
})
