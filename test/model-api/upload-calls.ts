import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import type { ModelServer } from './model-server.ts'

export const startHeaders = {
  'content-type': 'application/json',
  'x-goog-upload-protocol': 'resumable',
  'x-goog-upload-command': 'start',
} as const

export interface UploadStart {
  readonly size?: number
  readonly type?: string
  readonly file?: object
}

/** Begins a resumable upload and gives the path to go on with. */
export async function startUpload(
  { call }: ModelServer,
  key: string,
  { size, type = 'text/plain', file = {} }: UploadStart = {},
): Promise<string> {
  const response = await call(key, {
    method: 'POST',
    url: '/upload/v1beta/files',
    headers: {
      ...startHeaders,
      ...(size === undefined ? {} : { 'x-goog-upload-header-content-length': String(size) }),
      'x-goog-upload-header-content-type': type,
    },
    payload: JSON.stringify({ file }),
  })
  const url = response.headers['x-goog-upload-url']
  if (response.statusCode !== 200 || typeof url !== 'string')
    throw new Error(`the upload did not start: ${response.statusCode} ${response.body}`)
  return url.slice(new URL(url).origin.length)
}

export interface UploadStep {
  readonly command: string
  readonly offset?: number
  readonly bytes?: Uint8Array
}

/** One more request of an upload, as the official clients send it: bytes that call themselves JSON. */
export function uploadStep(
  { call }: ModelServer,
  key: string,
  { url, command, offset, bytes }: UploadStep & { readonly url: string },
): Promise<LightMyRequestResponse> {
  return call(key, {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'x-goog-upload-command': command,
      ...(offset === undefined ? {} : { 'x-goog-upload-offset': String(offset) }),
    },
    ...(bytes === undefined ? {} : { payload: Buffer.from(bytes) }),
  })
}

export interface WholeUpload extends UploadStart {
  readonly bytes: Uint8Array
}

/** A file in one piece; the answer's `file`. */
export async function uploadFile(
  server: ModelServer,
  key: string,
  { bytes, ...start }: WholeUpload,
): Promise<Readonly<Record<string, string>>> {
  const url = await startUpload(server, key, { size: bytes.length, ...start })
  const response = await uploadStep(server, key, { url, command: 'upload, finalize', offset: 0, bytes })
  const { file } = response.json()
  if (response.statusCode !== 200) throw new Error(response.body)
  return file
}

/** The bytes of a file, by its name in the API. */
export async function downloaded({ call }: ModelServer, key: string, name = ''): Promise<Buffer> {
  const response = await call(key, { url: `/v1beta/${name}:download?alt=media` })
  assert.equal(response.statusCode, 200, response.body)
  return response.rawPayload
}
