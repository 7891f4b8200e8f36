import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { definePager } from '../paging/pager.ts'
import { renderBody } from '../paging/render.ts'
import type { TokenCodec } from '../paging/token-codec.ts'
import { type FilePlace, type Files, fileSort } from '../store/files.ts'
import type { StoredFile } from '../store/tables-files.ts'
import { fileAnswer, unknownFile } from './file-answer.ts'
import { fileOrder, readFileMetadata } from './file-message.ts'
import type { Guard, GuardedRoute } from './guarded-route.ts'
import { pageParameters } from './list-models.ts'
import { callerOf, ownerOf } from './owner.ts'
import { invalidArgument } from './wire-failure.ts'

export interface FileParts {
  readonly files: Files
  readonly publicUrl: string
  readonly tokens: TokenCodec
  readonly guard: Guard
}

interface Named {
  readonly Params: { readonly name: string }
}

/** `…/files`: each principal sees its own. */
export function mountFiles(scope: FastifyInstance, parts: FileParts): void {
  const { files, publicUrl, guard } = parts
  scope.post('/files', guard('createFile'), async (request) => {
    const order = fileOrder(callerOf(request), { ...readFileMetadata(request.body), size: 0 })
    const { file } = await files.start(order)
    return { file: fileAnswer(await files.finish(file), publicUrl) }
  })
  scope.get('/files', guard('listFiles'), createList(parts))
  scope.get<Named>('/files/:name', guardByName(guard), async (request, reply) => {
    const { name } = request.params
    if (name.endsWith(download)) return sendBytes(request, reply, parts)
    return fileAnswer(await findOwn(parts, request, name), publicUrl)
  })
  scope.delete<Named>('/files/:name', guard('deleteFile'), async (request) => {
    await files.remove(await findOwn(parts, request, request.params.name))
    return {}
  })
}

const download = ':download'

/** The router cannot tell the two apart, but the record of calls does. */
function guardByName(guard: Guard): GuardedRoute {
  const [get, load] = [guard('getFile'), guard('downloadFile')]
  return {
    ...get,
    onRequest: (request, reply, done) => {
      const { name } = Object(request.params)
      const { onRequest } = String(name).endsWith(download) ? load : get
      onRequest(request, reply, done)
    },
  }
}

function createList({ files, publicUrl, tokens }: FileParts): (request: FastifyRequest) => Promise<object> {
  const pager = definePager<FilePlace>({
    id: 'files',
    style: 'page-token',
    names: { items: 'files' },
    placement: { link: false, totalCount: false },
    limit: { default: 10, maximum: 100 },
    isPrivate: true,
    tokens,
    sorts: { newest: fileSort },
  })
  return async (request) => {
    const owner = ownerOf(callerOf(request))
    const parsed = pager.parse(pageParameters(request.query), { principal: owner })
    const page = await files.list({ owner, pager, request: parsed })
    return renderBody({ ...page, items: page.items.map((file) => fileAnswer(file, publicUrl)) })
  }
}

async function findOwn(
  { files }: FileParts,
  request: Pick<FastifyRequest, 'modelCall'>,
  id: string,
): Promise<StoredFile> {
  const file = await files.find({ owner: ownerOf(callerOf(request)), id })
  if (file === undefined) throw unknownFile(id)
  return file
}

/** As an attachment: whatever it is, a browser must not run it as a page of ours. */
async function sendBytes(
  request: FastifyRequest<Named>,
  reply: FastifyReply,
  parts: FileParts,
): Promise<FastifyReply> {
  const { alt } = Object(request.query)
  if (alt !== 'media') throw invalidArgument('A download needs the parameter alt=media.', 'alt')
  const file = await findOwn(parts, request, request.params.name.slice(0, -download.length))
  return reply
    .header('content-type', file.mime_type)
    .header('content-length', file.size)
    .header('content-disposition', 'attachment')
    .send(ReadableStream.from(parts.files.read(file)))
}
