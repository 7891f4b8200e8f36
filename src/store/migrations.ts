import type { Migration } from './migrate.ts'

/** In the order they run. A released migration is never edited, moved or removed: the next change is a new one at the end. */
export const migrations: readonly Migration[] = []
