import { Failure } from '../failure/failure.ts'
import type { StoredFile } from '../store/tables-files.ts'
import { timestamp } from '../store/timestamp.ts'

export function fileAnswer(file: StoredFile, publicUrl: string): object {
  const uri = `${publicUrl}/v1beta/files/${file.id}`
  return {
    name: `files/${file.id}`,
    ...(file.display_name === '' ? {} : { displayName: file.display_name }),
    mimeType: file.mime_type,
    sizeBytes: String(file.size),
    createTime: timestamp(file.created_at),
    updateTime: timestamp(file.updated_at),
    expirationTime: timestamp(file.expires_at),
    // The API says base64 of the hash, and means of its hexadecimal text.
    sha256Hash: Buffer.from(file.sha256 ?? '').toString('base64'),
    uri,
    downloadUri: `${uri}:download?alt=media`,
    state: 'ACTIVE',
    source: 'UPLOADED',
  }
}

/** The same for a file that is not there and for one of somebody else. */
export function unknownFile(id: string): Failure {
  return new Failure(
    'forbidden',
    `You do not have permission to access the File ${id} or it may not exist.`,
    { reason: 'file_not_found' },
  )
}
