import { Failure } from '../failure/failure.ts'
import type { CachedContentHead, CachedContentName } from '../store/cached-contents.ts'
import { timestamp } from '../store/timestamp.ts'

/** What was cached is never told again. */
export function cachedContentAnswer(row: CachedContentHead): object {
  return {
    name: `${row.parent === '' ? '' : `${row.parent}/`}cachedContents/${row.id}`,
    model: row.model,
    createTime: timestamp(row.created_at),
    updateTime: timestamp(row.updated_at),
    expireTime: timestamp(row.expires_at),
    displayName: row.display_name,
    usageMetadata: { totalTokenCount: row.tokens },
  }
}

/** The same for one that is not there, has expired or is somebody else's; the two APIs say it in their own ways. */
export function unknownCachedContent({ parent, id }: Omit<CachedContentName, 'owner'>): Failure {
  const reason = 'cached_content_not_found'
  if (parent === '')
    return new Failure('forbidden', 'CachedContent not found (or permission denied)', { reason })
  return new Failure('not-found', `Not found: cached content metadata for ${id}.`, { reason })
}
