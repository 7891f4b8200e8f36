import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { grammarSchema } from '../../src/engines/llama/grammar-schema.ts'
import { fromJsonSchema } from '../../src/engines/openai/json-schema.ts'
import { fromGeminiSchema } from '../../src/engines/openai/schema.ts'
import { answerForm } from '../../src/engines/story/answer-form.ts'
import { Failure } from '../../src/failure/failure.ts'

const keywords =
  `type properties required propertyOrdering additionalProperties items minItems maxItems enum const format minLength
maxLength minimum maximum exclusiveMinimum anyOf oneOf prefixItems $ref ref $defs defs nullable pattern a __proto__ constructor
toString`.split(/\s/)

/** Values that JSON can hold and that are not what they seem once something turns them into text or a number. */
const odd: readonly unknown[] =
  JSON.parse(`["", " ", "1", "0x1", "1e999", "OBJECT", "array", "string", "null", "#/$defs/a",
  "date", "\\ud800", null, true, -0, -1, 1.5, 9007199254740993, 1e300, 1e999, [], [1], {}, { "toString": "" },
  { "toString": "", "valueOf": "" }, [{ "toString": "", "valueOf": 1 }]]`)

const { schema } = fc.letrec<{ schema: object; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom(...odd),
    tie('schema'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  schema: fc.dictionary(fc.constantFrom(...keywords), tie('value'), { maxKeys: 5 }),
}))

const contents = [{ role: 'user', parts: [{ text: 'call it' }] }]
const functions = (parametersJsonSchema: object): object => ({ name: 'it', parametersJsonSchema })

const readers: Readonly<Record<string, (schema: object) => unknown>> = {
  'the story engine, for JSON': (given) =>
    answerForm({
      contents,
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: given },
    }),
  'the story engine, for a choice': (given) =>
    answerForm({
      contents,
      generationConfig: { responseMimeType: 'text/x.enum', responseJsonSchema: given },
    }),
  'the story engine, for a call': (given) =>
    answerForm({ contents, tools: [{ functionDeclarations: [functions(given)] }] }),
  'the OpenAI wire, of JSON Schema': (given) => fromJsonSchema(given, 'schema'),
  'the OpenAI wire, of the Gemini wire': (given) => fromGeminiSchema(given, 'schema'),
  'a grammar, of JSON Schema': (given) => grammarSchema(given, 'responseJsonSchema'),
  'a grammar, of the Gemini wire': (given) => grammarSchema(given, 'responseSchema'),
}

for (const [reader, read] of Object.entries(readers))
  test(`whatever schema comes, it is taken or refused by name: ${reader}`, () => {
    fc.assert(
      fc.property(schema, (given) => {
        try {
          read(given)
        } catch (error) {
          assert.ok(error instanceof Failure && error.code === 'invalid-request', String(error))
        }
      }),
      { numRuns: 2000 },
    )
  })
