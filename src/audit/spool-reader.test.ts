import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type SpoolPlace, segmentFile, segmentStarts } from './spool-files.ts'
import { createSpoolReader, type SpoolReader } from './spool-reader.ts'
import { createSpoolWriter, type SpoolWriter } from './spool-writer.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function freshPlace(): SpoolPlace {
  const folder = mkdtempSync(join(tmpdir(), 'postern-spool-'))
  folders.push(folder)
  return { folder, id: 'abc-1' }
}

function openWriter(place: SpoolPlace, segmentBytes = 1000): SpoolWriter {
  return createSpoolWriter({ place, segmentBytes, onSegment: () => undefined })
}

function readAll(reader: SpoolReader, from = 0): readonly string[] {
  const batch = reader.read(from)
  return batch.lines.length === 0 ? [] : [...batch.lines, ...readAll(reader, batch.position)]
}

const lines = Array.from({ length: 50 }, (_, index) => `{"line":${index},"text":"${'ä'.repeat(20)}"}`)

test('what was written is read again, whole and in order, over many files', () => {
  const place = freshPlace()
  const writer = openWriter(place)
  for (const line of lines) writer.write(line)
  assert.ok(segmentStarts(place).length > 2)
  const reader = createSpoolReader(place)
  assert.deepEqual(readAll(reader), lines)
  const bytes = Buffer.byteLength(lines.join('\n')) + 1
  assert.equal(writer.end(), bytes)
  reader.close()
  writer.close()
})

test('reading goes on at any position that a batch ended at', () => {
  const place = freshPlace()
  const writer = openWriter(place)
  const reader = createSpoolReader(place)
  writer.write('one')
  const { position } = reader.read(0)
  writer.write('two')
  assert.deepEqual(reader.read(position).lines, ['two'])
  assert.deepEqual(reader.read(writer.end()).lines, [])
  reader.close()
  writer.close()
})

test('a reader that is told of a new file reads it, and removes those before it once they are stored', () => {
  const place = freshPlace()
  const starts: number[] = []
  const writer = createSpoolWriter({ place, segmentBytes: 10, onSegment: (start) => starts.push(start) })
  const reader = createSpoolReader(place)
  writer.write('a line of its own')
  writer.write('another')
  assert.deepEqual(starts, [18])
  assert.deepEqual(readAll(reader), ['a line of its own'])
  reader.addSegment(18)
  assert.deepEqual(readAll(reader), ['a line of its own', 'another'])
  reader.release(17)
  assert.deepEqual(segmentStarts(place), [0, 18])
  reader.release(18)
  assert.deepEqual(segmentStarts(place), [18])
  reader.remove()
  assert.deepEqual(readdirSync(place.folder), [])
  writer.close()
})

test('a line that is longer than a batch is still read', () => {
  const place = freshPlace()
  const writer = openWriter(place)
  const long = 'x'.repeat(3 * 2 ** 20)
  writer.write(long)
  writer.write('short')
  const reader = createSpoolReader(place)
  assert.deepEqual(readAll(reader), [long, 'short'])
  reader.close()
  writer.close()
})

test('a last line that a crash has cut is not read', () => {
  const place = freshPlace()
  const writer = openWriter(place)
  writer.write('whole')
  writer.close()
  appendFileSync(segmentFile(place, 0), '{"half":')
  assert.deepEqual(readAll(createSpoolReader(place)), ['whole'])
})

test('a file that lost its end does not keep those after it from being read', () => {
  const place = freshPlace()
  const writer = openWriter(place, 20)
  for (const line of ['first of the first file', 'second file begins here', 'third']) writer.write(line)
  writer.close()
  const starts = segmentStarts(place)
  truncateSync(segmentFile(place, starts[1] ?? 0), 7)
  assert.deepEqual(readAll(createSpoolReader(place)), ['first of the first file', 'third'])
})
