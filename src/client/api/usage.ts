import { number, objectOf, orNull, type Reader, text } from '../wire-reader.ts'

/** How much was used in one hour or day; null is what rows are not told apart by. */
export interface UsageRow {
  /** The beginning of the hour or day, as RFC 3339. */
  readonly bucket: string
  readonly surface: string | null
  readonly issuer: string | null
  readonly principal: string | null
  /** A tool or a model. */
  readonly target: string | null
  readonly calls: number
  readonly denials: number
  readonly tokens_in: number
  readonly tokens_out: number
}

export const usageRow: Reader<UsageRow> = objectOf<UsageRow>({
  bucket: text,
  surface: orNull(text),
  issuer: orNull(text),
  principal: orNull(text),
  target: orNull(text),
  calls: number,
  denials: number,
  tokens_in: number,
  tokens_out: number,
})

export interface UsageQuestion {
  /** Default `hour`. */
  readonly bucket?: 'hour' | 'day' | undefined
  /** What rows are told apart by besides their time. Default: all three. */
  readonly by?: readonly ('principal' | 'target' | 'surface')[] | undefined
  readonly principal?: string | undefined
  readonly issuer?: string | undefined
  readonly target?: string | undefined
  readonly surface?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export function usageQuery(question: UsageQuestion): Readonly<Record<string, string | undefined>> {
  const { bucket, by, principal, issuer, target, surface, from, to } = question
  const told = by?.length === 0 ? 'none' : by?.join(',')
  return { bucket, by: told, principal, issuer, target, surface, from, to }
}
