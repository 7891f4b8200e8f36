import type { Caller } from '../auth/caller.ts'
import type { Content, GenerateRequest, Part } from '../engines/content.ts'
import type { Files } from '../store/files.ts'
import type { StoredFile } from '../store/tables-files.ts'
import { unknownFile } from './file-answer.ts'
import { ownerOf } from './owner.ts'
import { invalidArgument } from './wire-failure.ts'

export interface FileReferenceOptions {
  readonly files: Files
  readonly publicUrl: string
  /** The most bytes that the files of one request may have together. */
  readonly inlineBytes?: number
}

export type ResolveFiles = (request: GenerateRequest, caller: Caller) => Promise<GenerateRequest>

/** As much as a request may carry itself. */
const mostInlineBytes = 20 * 2 ** 20

/** Puts files of ours in place of the parts that refer to them: text as text, the rest as inline data. */
export function createFileResolver(options: FileReferenceOptions): ResolveFiles {
  const { publicUrl, inlineBytes = mostInlineBytes } = options
  const idIn = fileIds(publicUrl)
  return async (request, caller) => {
    if (!refersToFiles(request)) return request
    const room = new Room(inlineBytes)
    const ours = { ...options, room, idIn, owner: ownerOf(caller) }
    const contents: Content[] = []
    for (const content of request.contents) contents.push(await resolved(content, ours))
    const { systemInstruction: instruction } = request
    if (instruction === undefined) return { ...request, contents }
    return { ...request, contents, systemInstruction: await resolved(instruction, ours) }
  }
}

function refersToFiles({ contents, systemInstruction }: GenerateRequest): boolean {
  return hasFile(systemInstruction ?? {}) || contents.some(hasFile)
}

function hasFile({ parts = [] }: Content): boolean {
  return parts.some(({ fileData }) => fileData !== undefined)
}

/** The id in a reference to a file of ours; undefined for any other address. */
function fileIds(publicUrl: string): (uri: string) => string | undefined {
  const places = ['v1beta', 'v1', 'v1alpha'].map((version) => `${publicUrl}/${version}/files/`)
  return (uri) => {
    const place = [...places, 'files/'].find((start) => uri.startsWith(start))
    return place === undefined ? undefined : uri.slice(place.length)
  }
}

interface Ours {
  readonly files: Files
  readonly room: Room
  readonly idIn: (uri: string) => string | undefined
  readonly owner: string
}

class Room {
  readonly #most: number
  #left: number

  constructor(bytes: number) {
    this.#most = bytes
    this.#left = bytes
  }

  take(bytes: number): void {
    this.#left -= bytes
    if (this.#left < 0)
      throw invalidArgument(`The files of one request may have at most ${this.#most} bytes together.`)
  }
}

async function resolved(content: Content, ours: Ours): Promise<Content> {
  if (!hasFile(content)) return content
  const parts: Part[] = []
  for (const part of content.parts ?? []) parts.push(await resolvedPart(part, ours))
  return { ...content, parts }
}

async function resolvedPart(part: Part, { files, room, idIn, owner }: Ours): Promise<Part> {
  const { fileData, ...marks } = part
  const id = idIn(fileData?.fileUri ?? '')
  if (fileData === undefined || id === undefined) return part
  const file = await files.find({ owner, id })
  if (file === undefined) throw unknownFile(id)
  room.take(file.size)
  const bytes = await bytesOf(files, file)
  const mimeType = fileData.mimeType ?? file.mime_type
  if (/^text\//i.test(mimeType)) return { ...marks, text: bytes.toString('utf8') }
  return { ...marks, inlineData: { mimeType, data: bytes.toString('base64') } }
}

async function bytesOf(files: Files, file: StoredFile): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of files.read(file)) pieces.push(piece)
  return Buffer.concat(pieces)
}
