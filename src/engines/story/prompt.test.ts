import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promptOf } from './prompt.ts'

const user = (text: string): object => ({ role: 'user', parts: [{ text }] })
const model = (text: string): object => ({ role: 'model', parts: [{ text }] })

test('the instruction and the turns stand on lines of their own, in order', () => {
  const prompt = promptOf({
    systemInstruction: { parts: [{ text: 'Be kind.' }] },
    contents: [user('Once'), model(' upon'), user('a time')],
  })
  assert.equal(prompt, 'Be kind.\nOnce\n upon\na time')
})

test('parts of a turn, and turns of the model that a stream left, go on without a break', () => {
  const contents = [
    { role: 'user', parts: [{ text: 'On' }, { text: 'ce' }] },
    model(' upon'),
    model(' a time'),
  ]
  assert.equal(promptOf({ contents }), 'Once\n upon a time')
})

test('calls and responses are text, thoughts are not', () => {
  const contents = [
    {
      role: 'model',
      parts: [{ thought: true, text: 'hm' }, { functionCall: { name: 'get', args: { id: 1 } } }],
    },
    { role: 'user', parts: [{ functionResponse: { name: 'get', response: { name: 'Tim' } } }] },
  ]
  assert.equal(promptOf({ contents }), 'get {"id":1}\n{"name":"Tim"}')
})
