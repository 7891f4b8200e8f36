import { randomBytes } from 'node:crypto'
import type { Caller } from '../auth/caller.ts'
import type { FileOrder } from '../store/files-upload.ts'
import { isStorable } from '../store/storable-text.ts'
import { anything, int64, type Kind, struct, text } from './json-kinds.ts'
import { message } from './json-message.ts'
import { ownerOf } from './owner.ts'
import { readMessage } from './read-request.ts'
import { Complaints } from './request-checks.ts'

/** What the uploader says about a file. */
export interface FileMetadata {
  readonly id: string | undefined
  readonly displayName: string
  readonly mimeType: string | undefined
  readonly size: number | undefined
}

interface CreateFileMessage {
  readonly file?: {
    readonly name?: string
    readonly displayName?: string
    readonly mimeType?: string
    readonly sizeBytes?: number
  }
}

/** What the server alone sets is passed over, because clients send back what they got. */
const createFileMessage: Kind<CreateFileMessage> = message('CreateFileRequest', {
  file: message('File', {
    name: text,
    displayName: text,
    mimeType: text,
    sizeBytes: int64,
    createTime: anything,
    updateTime: anything,
    expirationTime: anything,
    sha256Hash: anything,
    uri: anything,
    downloadUri: anything,
    state: anything,
    source: anything,
    error: struct,
    videoMetadata: struct,
  }),
})

export function readFileMetadata(json: unknown): FileMetadata {
  const { file = {} } = readMessage(createFileMessage, json)
  const { name = '', displayName = '', mimeType, sizeBytes } = file
  const complaints = new Complaints()
  const id = name.startsWith(collection) ? name.slice(collection.length) : name
  if (name !== '' && !fileId.test(id))
    complaints.add(
      'CreateFileRequest.file.name',
      'name must be files/ and 1 to 40 of a-z, 0-9 and -, without - at either end.',
    )
  if (displayName.length > longestDisplayName)
    complaints.add(
      'CreateFileRequest.file.display_name',
      `display_name must not be longer than ${longestDisplayName} characters.`,
    )
  if (!isStorable(displayName))
    complaints.add('CreateFileRequest.file.display_name', 'display_name must not hold the character U+0000.')
  if (mimeType !== undefined && !isMimeType(mimeType))
    complaints.add('CreateFileRequest.file.mime_type', 'mime_type must be a MIME type, such as text/plain.')
  if (sizeBytes !== undefined && sizeBytes < 0)
    complaints.add('CreateFileRequest.file.size_bytes', 'size_bytes must not be negative.')
  complaints.throwAny()
  return { id: id === '' ? undefined : id, displayName, mimeType, size: sizeBytes }
}

const collection = 'files/'
const longestDisplayName = 512

const fileId = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/

export function isMimeType(mimeType: string): boolean {
  return mimeType.length <= 255 && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/.test(mimeType)
}

export function fileOrder(caller: Caller, { id, displayName, mimeType, size }: FileMetadata): FileOrder {
  return {
    owner: ownerOf(caller),
    id: id ?? newFileId(),
    displayName,
    mimeType: mimeType ?? 'application/octet-stream',
    size,
    credential: caller.principal.credential,
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'

function newFileId(): string {
  return Array.from(randomBytes(12), (byte) => letters[byte % letters.length]).join('')
}
