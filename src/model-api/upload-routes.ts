import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { Failure } from '../failure/failure.ts'
import type { Files } from '../store/files.ts'
import type { StoredFile } from '../store/tables-files.ts'
import { fileAnswer } from './file-answer.ts'
import { type FileMetadata, fileOrder, readFileMetadata } from './file-message.ts'
import type { Guard, GuardedRoute } from './guarded-route.ts'
import { callerOf } from './owner.ts'
import { bodyOf, readText, receive, steadyBodyOf } from './upload-body.ts'
import { openMultipart } from './upload-multipart.ts'
import {
  offsetOf,
  parseLoosely,
  readStart,
  readUploadRequest,
  type UploadRequest,
  withMimeType,
} from './upload-request.ts'
import { sessionOf } from './upload-session.ts'
import { invalidArgument } from './wire-failure.ts'

export interface UploadParts {
  readonly files: Files
  readonly publicUrl: string
  readonly guard: Guard
  /** Makes room for what is held of a body while it comes. */
  readonly hold: (reply: FastifyReply, caller: Caller) => void
  /** Asked when a body has come: whether the credential that began it still stands. */
  readonly confirm: (request: FastifyRequest) => Promise<void> | undefined
  readonly version: string
}

/** `POST /upload/…/files`: the resumable protocol, and the two ways of sending all at once. Bodies are never parsed here. */
export function mountUploads(scope: FastifyInstance, parts: UploadParts): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  const guarded = orUploadId(parts.guard('createFile'))
  scope.route({
    ...guarded,
    method: ['POST', 'PUT'],
    url: '/files',
    onSend: [
      guarded.onSend,
      (request, reply, ...[, done]) => {
        tellStatus(request, reply)
        done()
      },
    ],
    handler: (request, reply) => serve(parts, request, reply),
  })
}

/** Only the start must show a credential: the id of an upload is as good as one, for that upload alone. */
function orUploadId(guarded: GuardedRoute): GuardedRoute {
  return {
    ...guarded,
    onRequest: (request, reply, done) => {
      const orPass = (error?: Error): void => {
        const isNobody = error instanceof Failure && error.reason === 'no_credential'
        if (isNobody && readUploadRequest(request).uploadId !== undefined) done()
        else done(error)
      }
      try {
        guarded.onRequest(request, reply, orPass)
      } catch (error) {
        orPass(error instanceof Error ? error : new Error('not an error', { cause: error }))
      }
    },
  }
}

/** The upload that a request was about, as far as it came. */
const uploads = new WeakMap<FastifyRequest, StoredFile | 'active' | 'cancelled'>()

/** Clients try again when an answer does not have it. */
function tellStatus(request: FastifyRequest, reply: FastifyReply): void {
  const upload = uploads.get(request)
  if (typeof upload === 'object' && upload.status === 'uploading')
    reply.header(statusHeader, 'active').header('x-goog-upload-size-received', upload.size)
  else if (typeof upload === 'string') reply.header(statusHeader, upload)
  else if (reply.statusCode < 500) reply.header(statusHeader, 'final')
}

const statusHeader = 'x-goog-upload-status'

async function serve(parts: UploadParts, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const wanted = readUploadRequest(request)
  if (wanted.uploadId !== undefined) return goOn(parts, reply, { ...wanted, uploadId: wanted.uploadId })
  parts.hold(reply, callerOf(request))
  if (wanted.commands.has('start')) return start(parts, request, reply)
  return takeWhole(parts, request, wanted)
}

async function start(
  { files, publicUrl, version, confirm }: UploadParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const metadata = readStart(request, await readText(bodyOf(request.raw), longestMetadata))
  await confirm(request)
  const { file, uploadId } = await files.start(fileOrder(callerOf(request), metadata))
  uploads.set(request, file)
  const url = `${publicUrl}/upload/${version}/files?upload_id=${uploadId}&upload_protocol=resumable`
  reply
    .header('x-goog-upload-url', url)
    .header('x-goog-upload-control-url', url)
    .header('x-goog-upload-chunk-granularity', granularity)
  return ''
}

const longestMetadata = 65_536

/** What clients that cut in pieces should cut by; any other cut is taken too. */
const granularity = 256 * 1024

async function goOn(
  parts: UploadParts,
  reply: FastifyReply,
  { uploadId, commands, contentLength }: UploadRequest & { readonly uploadId: string },
): Promise<unknown> {
  const { files, publicUrl } = parts
  const { request } = reply
  const session = sessionOf(await files.findUpload(uploadId), request.modelCall?.caller)
  if (request.modelCall !== null) request.modelCall.caller = session.caller
  parts.hold(reply, session.caller)
  const found = session.file
  uploads.set(request, found)
  if (commands.has('cancel')) return cancel(files, request, found)
  const isQuery = commands.has('query')
  // Whoever lost the last answer gets it again.
  if (found.status === 'stored' && (isQuery || commands.has('finalize')))
    return { file: fileAnswer(found, publicUrl) }
  if (isQuery) return ''
  if (!commands.has('upload') && !commands.has('finalize'))
    throw invalidArgument(
      'The header x-goog-upload-command must be start, upload, finalize, query or cancel.',
    )
  const file = commands.has('upload') ? await add(files, request, { file: found, contentLength }) : found
  uploads.set(request, file)
  return commands.has('finalize') ? finish(parts, request, file) : ''
}

async function cancel(files: Files, request: FastifyRequest, file: StoredFile): Promise<string> {
  if (file.status === 'stored')
    throw new Failure('invalid-request', 'the upload has become a file: delete that', {
      reason: 'failed_precondition',
    })
  await files.remove(file)
  uploads.set(request, 'cancelled')
  return ''
}

/** Each stretch of an upload may take as long as any other request as a whole, but not so long that the upload seems idle. */
function steadyBody({ raw, server }: FastifyRequest): AsyncIterable<Buffer> {
  return steadyBodyOf(raw, Math.min(server.server.requestTimeout, longestStretchMs))
}

const longestStretchMs = 120_000

interface Addition {
  readonly file: StoredFile
  readonly contentLength: number | undefined
}

/** Fails before the body is read wherever that is possible. */
async function add(
  files: Files,
  request: FastifyRequest,
  { file, contentLength = 0 }: Addition,
): Promise<StoredFile> {
  const offset = offsetOf(request)
  if (offset === undefined) throw invalidArgument('The header x-goog-upload-offset is missing.')
  if (file.status !== 'uploading')
    throw new Failure('invalid-request', 'the upload is finalized: nothing can be added', {
      reason: 'failed_precondition',
    })
  if (offset !== file.size)
    throw new Failure(
      'conflict',
      `the upload has ${file.size} bytes and cannot go on at ${offset}: query where it is`,
      { reason: 'upload_moved' },
    )
  if (file.announced_size !== null && offset + contentLength > file.announced_size)
    throw new Failure('invalid-request', `the upload was announced with ${file.announced_size} bytes`, {
      reason: 'out_of_range',
    })
  // If that breaks off, nobody knows from here how far it came.
  uploads.set(request, 'active')
  return receive(files, file, steadyBody(request))
}

async function finish(
  { files, publicUrl }: UploadParts,
  request: FastifyRequest,
  file: StoredFile,
): Promise<object> {
  const stored = await files.finish(file)
  uploads.set(request, stored)
  return { file: fileAnswer(stored, publicUrl) }
}

/** What was begun here nobody can go on with, so nothing is left of it when it fails. */
async function takeWhole(
  parts: UploadParts,
  request: FastifyRequest,
  wanted: UploadRequest,
): Promise<object> {
  const { metadata, body } = await openWhole(steadyBody(request), wanted)
  const { file } = await parts.files.start(fileOrder(callerOf(request), metadata))
  try {
    const received = await receive(parts.files, file, body)
    await parts.confirm(request)
    return await finish(parts, request, received)
  } catch (error) {
    uploads.delete(request)
    await parts.files.remove(file)
    throw error
  }
}

interface WholeUpload {
  readonly metadata: FileMetadata
  readonly body: AsyncIterable<Buffer>
}

async function openWhole(
  body: AsyncIterable<Buffer>,
  { protocol, commands, contentType = '', contentLength }: UploadRequest,
): Promise<WholeUpload> {
  if (protocol === 'multipart') {
    const parts = await openMultipart(body, contentType)
    const metadata = readFileMetadata(parseLoosely(parts.metadata))
    return {
      metadata: withMimeType({ ...metadata, size: undefined }, parts.mimeType ?? ''),
      body: parts.body,
    }
  }
  if (protocol === 'raw' || protocol === 'media' || commands.has('upload')) {
    const metadata = { ...readFileMetadata(undefined), size: contentLength }
    return { metadata: withMimeType(metadata, contentType), body }
  }
  throw invalidArgument(
    'An upload is resumable (headers x-goog-upload-protocol: resumable and x-goog-upload-command: start), multipart or raw.',
  )
}
