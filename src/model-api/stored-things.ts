import { type CachedContents, createCachedContents } from '../store/cached-contents.ts'
import { type Clock, microsecondClock } from '../store/clock.ts'
import { createFiles, type Files } from '../store/files.ts'
import type { FileLimits } from '../store/files-limits.ts'
import type { Store } from '../store/store.ts'
import { createCacheResolver, createReferenceResolver, type ResolveReferences } from './cache-references.ts'
import { createFileResolver, type ResolveFiles } from './file-references.ts'

/** What callers keep here, and how requests come to refer to it. */
export interface StoredThings {
  readonly files: Files
  readonly cachedContents: CachedContents
  readonly resolveFiles: ResolveFiles
  readonly resolveReferences: ResolveReferences
  readonly now: Clock
}

export interface StoredThingsOptions {
  readonly store: Store
  readonly publicUrl: string
  readonly now?: Clock
  readonly fileLimits?: FileLimits
}

export function createStoredThings({
  store,
  publicUrl,
  now = microsecondClock(),
  fileLimits,
}: StoredThingsOptions): StoredThings {
  const files = createFiles(store, now, fileLimits)
  const cachedContents = createCachedContents(store, now)
  const resolveFiles = createFileResolver({ files, publicUrl })
  return {
    files,
    cachedContents,
    resolveFiles,
    resolveReferences: createReferenceResolver(createCacheResolver(cachedContents), resolveFiles),
    now,
  }
}
