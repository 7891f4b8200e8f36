import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { Compile, type Validator } from 'typebox/compile'

/** Fails on an answer that is not what the OpenAPI document says of it. */
export type AnswerCheck = (
  method: string,
  path: string,
  response: Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body'>,
) => Promise<void>

export function createAnswerCheck(document: unknown): AnswerCheck {
  const compiled = new Map<string, Validator>()
  const paths = Object.keys(Object(member(document, 'paths')))
  return async (method, path, { statusCode, headers, body }) => {
    const plain = path.split('?')[0] ?? ''
    const template = paths.find((one) => patternOf(one).test(plain))
    if (template === undefined) return
    const operation = member(member(member(document, 'paths'), template), method.toLowerCase())
    if (operation === undefined) return
    const name = `${method} ${template} ${statusCode}`
    const answer = resolve(document, member(member(operation, 'responses'), String(statusCode)))
    // What the frame refuses before any operation is the same everywhere.
    if (answer === undefined && [405, 413, 415, 421].includes(statusCode)) return
    assert.ok(answer !== undefined, `the document has no answer ${name}: ${body}`)
    for (const [header, told] of Object.entries(Object(member(answer, 'headers'))))
      if (member(resolve(document, told), 'required') === true)
        assert.ok(headers[header.toLowerCase()] !== undefined, `${name} has no header ${header}`)
    const content = member(answer, 'content')
    if (content === undefined) {
      assert.equal(body, '', name)
      return
    }
    const type = String(headers['content-type']).split(';')[0] ?? ''
    const media = member(content, type)
    assert.ok(media !== undefined, `${name} is sent as ${type}`)
    const validator = compiled.get(name) ?? Compile(Object(inlined(document, member(media, 'schema'))))
    compiled.set(name, validator)
    const value: unknown = JSON.parse(body)
    assert.ok(validator.Check(value), `${name}: ${JSON.stringify(validator.Errors(value))} in ${body}`)
  }
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/:]+')}$`)
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function resolve(document: unknown, value: unknown): unknown {
  const reference = member(value, '$ref')
  if (typeof reference !== 'string') return value
  return reference
    .slice(2)
    .split('/')
    .reduce((found: unknown, name) => member(found, name), document)
}

/** Without references, which are never circular here. */
function inlined(document: unknown, value: unknown): unknown {
  const found = resolve(document, value)
  if (Array.isArray(found)) return found.map((one) => inlined(document, one))
  if (typeof found !== 'object' || found === null) return found
  return Object.fromEntries(Object.entries(found).map(([name, one]) => [name, inlined(document, one)]))
}
