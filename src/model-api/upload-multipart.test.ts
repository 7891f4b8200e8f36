import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countByteWork } from '../../test/serving/byte-work.ts'
import { assertLinear } from '../../test/serving/growth.ts'
import { type MultipartUpload, openMultipart } from './upload-multipart.ts'

interface Written {
  readonly preamble?: string
  readonly head?: string
  readonly metadata?: string
}

function open({ preamble = '', head = '', metadata = '{}' }: Written): Promise<MultipartUpload> {
  const text = `${preamble}--b\r\nx: y\r\n\r\n${metadata}\r\n--b\r\n${head}\r\n\r\nbytes\r\n--b--`
  return openMultipart(ReadableStream.from([Buffer.from(text)]), 'multipart/related; boundary=b')
}

const types: readonly (readonly [head: string, type: string | undefined])[] = [
  ['Content-Type: text/csv', 'text/csv'],
  ['content-type:text/csv', 'text/csv'],
  ['X: y\r\nCONTENT-TYPE: \t text/csv; charset=utf-8 \t \r\nContent-Length: 5', 'text/csv; charset=utf-8'],
  ['content-length: 5\ncontent-type: text/csv', 'text/csv'],
  ['content-type:', undefined],
  ['x-content-type: text/csv', undefined],
  ['content-type', undefined],
]

for (const [head, type] of types)
  test(`the type in ${JSON.stringify(head)} is ${type}`, async () => {
    assert.equal((await open({ head })).mimeType, type)
  })

test('a head of 4096 bytes is read, a longer one is refused', async () => {
  const head = 'content-type: text/csv\r\nx: '.padEnd(4096, 'y')
  assert.equal((await open({ head })).mimeType, 'text/csv')
  await assert.rejects(open({ head: `${head}y` }), { code: 'too-large', message: /at most 4096 bytes/ })
  await assert.rejects(open({ preamble: 'y'.repeat(4097) }), { code: 'too-large' })
})

test('metadata of 65536 bytes are read, longer ones are refused', async () => {
  const metadata = '{}'.padEnd(65_536)
  assert.equal((await open({ metadata })).metadata, metadata)
  await assert.rejects(open({ metadata: `${metadata} ` }), /the metadata may have at most 65536 bytes/)
})

test('the time for a line of blanks grows as the line does', async () => {
  const read = async (size: number): Promise<void> => {
    for (let round = 0; round < 20; round += 1)
      await open({ head: `content-type: a${' '.repeat(size)}b${'\t'.repeat(size)}\u000b` })
  }
  await assertLinear(read, 500)
})

/** Byte by byte. */
async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  for (const byte of Buffer.from(text)) yield Buffer.of(byte)
}

test('an upload that comes byte by byte is read as one that comes at once', async () => {
  const text =
    'before--b\r\n--b\r\nx: y\r\n\r\n{"a":\r\n--b}\r\n--b\r\ncontent-type: a/b\r\n\r\nby\r\n-tes\r\n--b--'
  const read = async (body: AsyncIterable<Buffer>): Promise<readonly unknown[]> => {
    const upload = await openMultipart(body, 'multipart/related; boundary=b')
    let bytes = ''
    for await (const piece of upload.body) bytes += String(piece)
    return [upload.metadata, upload.mimeType, bytes]
  }
  const slow = await read(bytesOf(text))
  assert.deepEqual(slow, ['{"a":\r\n--b}', 'a/b', 'by\r\n-tes'])
  assert.deepEqual(await read(ReadableStream.from([Buffer.from(text)])), slow)
})

test('metadata of single bytes are copied and searched a few times, not once for each of them', async (t) => {
  const text = `--b\r\n\r\n\r\n${'x'.repeat(4000)}\r\n--b\r\n\r\n\r\n`
  const work = countByteWork(t)
  const { metadata } = await openMultipart(bytesOf(text), 'multipart/related; boundary=b')
  const { made, searched } = work()
  assert.equal(metadata.length, 4000)
  assert.ok(made < 6 * text.length, `${made} bytes were made`)
  assert.ok(searched < 12 * text.length, `${searched} bytes were searched`)
})
