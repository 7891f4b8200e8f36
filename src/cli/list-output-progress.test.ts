import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgress } from './list-output-progress.ts'

function lineAt(columns: number, count: number, total: number | undefined): string {
  let err = ''
  const io = {
    err: (text: string) => {
      err += text
    },
    isAttended: true,
    screen: () => ({ columns, rows: 24 }),
  }
  createProgress(io, 'events').show(count, total)
  return err.replace('\r\u001b[K', '')
}

test('the bar takes the room that the words leave, and the line never wraps', () => {
  assert.equal(lineAt(80, 250, 1000), `[${'#'.repeat(10)}${'-'.repeat(30)}] 250 of 1,000 events`)
  assert.equal(lineAt(33, 250, 1000), `[${'#'.repeat(3)}${'-'.repeat(7)}] 250 of 1,000 events`)
  assert.equal(lineAt(24, 250, 1000), '250 of 1,000 events')
  assert.equal(lineAt(10, 250, 1000), '250 of 1,')
})

test('without a total, or with one that was too low, only the count is shown', () => {
  assert.equal(lineAt(80, 1250, undefined), '1,250 events so far')
  assert.equal(lineAt(80, 1250, 1000), '1,250 events so far')
})

test('nothing is drawn where nobody looks', () => {
  const err = (): never => assert.fail('something was drawn')
  const progress = createProgress({ err, isAttended: false, screen: () => undefined }, 'events')
  progress.show(1, 2)
  progress.clear()
})
