export interface FileLimits {
  /** The most bytes of one file. */
  readonly fileBytes: number
  /** The most bytes of all files and uploads of one owner. */
  readonly ownerBytes: number
  readonly fileSeconds: number
  /** How long an upload waits for its next bytes. */
  readonly uploadSeconds: number
  /** After how long without bytes it gives way to a new one of its owner that has no room otherwise. */
  readonly idleUploadSeconds: number
}

export const fileLimits: FileLimits = {
  fileBytes: 200 * 2 ** 20,
  ownerBytes: 2 * 2 ** 30,
  fileSeconds: 48 * 3600,
  uploadSeconds: 6 * 3600,
  idleUploadSeconds: 600,
}

/** Even an empty file takes room: without this, nothing would bound their number. */
const leastCounted = 4096

export function countedSize(bytes: number): number {
  return Math.max(leastCounted, bytes)
}
