import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type SpoolPlace, segmentFile } from './spool-files.ts'
import { createSpoolWriter, type SpoolWriter } from './spool-writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-spool-'))
after(() => rmSync(folder, { recursive: true }))

function placeIn(name: string): SpoolPlace {
  return { folder: join(folder, name), id: 'abc-1' }
}

function openWriter(place: SpoolPlace, segmentBytes = 1000): SpoolWriter {
  return createSpoolWriter({ place, segmentBytes, onSegment: () => undefined })
}

test('files and folder are for their owner alone', () => {
  const place = placeIn('private')
  openWriter(place).close()
  assert.equal(statSync(place.folder).mode & 0o777, 0o700)
  assert.equal(statSync(segmentFile(place, 0)).mode & 0o777, 0o600)
})

test('a folder that was removed is made again with the next file', () => {
  const place = placeIn('removed')
  const writer = openWriter(place, 10)
  writer.write('goes with the folder')
  rmSync(place.folder, { recursive: true })
  writer.write('stays')
  assert.ok(existsSync(segmentFile(place, 21)))
  writer.close()
})

test('a line that cannot be written counts for nothing, and the next one that can takes its place', () => {
  const place = placeIn('blocked')
  const writer = openWriter(place, 10)
  writer.write('a line of its own')
  rmSync(place.folder, { recursive: true })
  writeFileSync(place.folder, 'in the way')
  assert.throws(() => writer.write('too bad'))
  assert.equal(writer.end(), 18)
  rmSync(place.folder)
  writer.write('better')
  assert.equal(writer.end(), 25)
  assert.equal(readFileSync(segmentFile(place, 18), 'utf8'), 'better\n')
  writer.close()
})

/** Only Linux has a device that is always full. */
if (existsSync('/dev/full'))
  test('a full disk is an error of the line', () => {
    const place = placeIn('full')
    openWriter(place).close()
    rmSync(segmentFile(place, 0))
    symlinkSync('/dev/full', segmentFile(place, 0))
    const writer = openWriter(place)
    for (const line of ['one', 'two']) assert.throws(() => writer.write(line))
    assert.equal(writer.end(), 0)
    writer.close()
  })
