import type { FastifyRequest } from 'fastify'
import { type FileMetadata, isMimeType, readFileMetadata } from './file-message.ts'
import { invalidArgument } from './wire-failure.ts'

/** What a request to the upload address wants, out of its headers and query. */
export interface UploadRequest {
  /** Of an upload that has begun. */
  readonly uploadId: string | undefined
  readonly commands: ReadonlySet<string>
  readonly protocol: string
  readonly contentType: string | undefined
  readonly contentLength: number | undefined
}

export function readUploadRequest({ headers, query }: FastifyRequest): UploadRequest {
  const { upload_id: id, uploadType: type, upload_protocol: protocol } = Object(query)
  return {
    uploadId: typeof id === 'string' && id !== '' ? id : undefined,
    commands: new Set(
      headerText(headers[commandHeader])
        .split(',')
        .map((command) => command.trim().toLowerCase())
        .filter((command) => command !== ''),
    ),
    protocol: String(headers['x-goog-upload-protocol'] ?? protocol ?? type ?? '').toLowerCase(),
    contentType: headers['content-type'],
    contentLength: sizeIn(headers['content-length'], 'content-length'),
  }
}

const commandHeader = 'x-goog-upload-command'

/** What begins a resumable upload: its own headers say most, the body may say more. */
export function readStart({ headers }: FastifyRequest, body: string): FileMetadata {
  const metadata = readFileMetadata(parseLoosely(body))
  const type = headers['x-goog-upload-header-content-type'] ?? headers['x-goog-upload-content-type']
  const size = headers['x-goog-upload-header-content-length'] ?? headers['x-goog-upload-raw-size']
  return withMimeType(
    { ...metadata, size: sizeIn(size, 'x-goog-upload-header-content-length') ?? metadata.size },
    headerText(type),
  )
}

/** What the metadata says wins over a header. */
export function withMimeType(metadata: FileMetadata, header: string): FileMetadata {
  if (metadata.mimeType !== undefined || header === '') return metadata
  if (!isMimeType(header))
    throw invalidArgument('The content type of the file must be a MIME type, such as text/plain.')
  return { ...metadata, mimeType: header }
}

/** `undefined` when the header is absent. */
export function offsetOf({ headers }: FastifyRequest): number | undefined {
  return sizeIn(headers['x-goog-upload-offset'], 'x-goog-upload-offset')
}

export function parseLoosely(body: string): unknown {
  if (body.trim() === '') return undefined
  try {
    return JSON.parse(withPlainQuotes(body))
  } catch {
    throw invalidArgument('Invalid JSON payload received. The metadata of an upload must be JSON.')
  }
}

/** The examples of the API write {'file': {'display_name': 'TEXT'}}, and it takes that. */
function withPlainQuotes(body: string): string {
  return /["\\]/.test(body) ? body : body.replaceAll("'", '"')
}

function sizeIn(value: string | string[] | undefined, name: string): number | undefined {
  if (value === undefined) return undefined
  const number = Number(value)
  if (/^\d{1,15}$/.test(headerText(value))) return number
  throw invalidArgument(`The header ${name} must be a number of bytes.`)
}

function headerText(value: string | string[] | undefined): string {
  return value === undefined ? '' : String(value)
}
