export interface EmbeddingJob {
  readonly text: string
}

export type EmbeddingEvent =
  | { readonly kind: 'embedded'; readonly values: readonly number[]; readonly tokens: number }
  | { readonly kind: 'refused'; readonly problem: string }

export const embeddingSize = 384

/** Pieces of one input, however many windows they take. */
export const mostPieces = 2048
