import { Failure } from '../failure/failure.ts'
import { GrowingBytes } from '../intake/growing-bytes.ts'
import { cutOff } from './upload-body.ts'

/** The two parts of a `multipart/related` upload: what is said about the file, and the file. */
export interface MultipartUpload {
  readonly metadata: string
  readonly mimeType: string | undefined
  readonly body: AsyncIterable<Buffer>
}

export async function openMultipart(
  body: AsyncIterable<Buffer>,
  contentType: string,
): Promise<MultipartUpload> {
  const boundary = boundaryOf(contentType)
  const reader = new MarkedReader(body)
  await reader.until(`--${boundary}\r\n`, headLimit)
  await reader.until(headEnd, headLimit)
  const metadata = await reader.until(`\r\n--${boundary}\r\n`, metadataLimit)
  const head = await reader.until(headEnd, headLimit)
  return { metadata, mimeType: contentTypeIn(head), body: reader.before(`\r\n--${boundary}`) }
}

const headEnd = '\r\n\r\n'

interface Limit {
  readonly what: string
  readonly bytes: number
}

const headLimit: Limit = { what: 'what comes before the metadata or the file', bytes: 4096 }
const metadataLimit: Limit = { what: 'the metadata', bytes: 65_536 }

/** Line by line: a pattern over the whole head can be made to try every way to cut a line of blanks. */
function contentTypeIn(head: string): string | undefined {
  for (const line of head.split(lineEnd)) {
    const colon = line.indexOf(':')
    const value = line.slice(colon + 1).trim()
    if (line.slice(0, Math.max(0, colon)).toLowerCase() === 'content-type' && value !== '') return value
  }
  return undefined
}

const lineEnd = /\r?\n/

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (/^multipart\/related\b/i.test(contentType) && boundary !== undefined) return boundary
  throw new Failure(
    'invalid-request',
    'a multipart upload must come with content-type multipart/related and a boundary',
  )
}

/** Reads up to marks, and holds no more than it must to find them. */
class MarkedReader {
  readonly #source: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(body: AsyncIterable<Buffer>) {
    this.#source = body[Symbol.asyncIterator]()
  }

  /** The text before the mark, which is passed over. */
  async until(mark: string, { what, bytes }: Limit): Promise<string> {
    const markBytes = Buffer.byteLength(mark)
    const held = new GrowingBytes(bytes + markBytes)
    held.append(this.#held)
    let sure = 0
    for (;;) {
      const all = held.all()
      const found = all.indexOf(mark, sure)
      // The mark may have begun at the end of what is there.
      sure = found === -1 ? Math.max(0, all.length - markBytes + 1) : found
      if (sure > bytes) throw new Failure('too-large', `${what} may have at most ${bytes} bytes`)
      if (found !== -1) {
        this.#held = all.subarray(found + markBytes)
        return all.toString('utf8', 0, found)
      }
      held.append(await this.#more())
    }
  }

  /** The bytes before the mark, as they come. */
  async *before(mark: string): AsyncGenerator<Buffer> {
    for (;;) {
      const found = this.#held.indexOf(mark)
      // The mark may have begun at the end of what is there.
      const sure = found === -1 ? this.#held.length - Buffer.byteLength(mark) + 1 : found
      if (sure > 0) yield this.#held.subarray(0, sure)
      if (found !== -1) return
      this.#held = Buffer.concat([this.#held.subarray(Math.max(0, sure)), await this.#more()])
    }
  }

  async #more(): Promise<Buffer> {
    const next = await this.#source.next()
    if (next.done === true) throw cutOff()
    return next.value
  }
}
