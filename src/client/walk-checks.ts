import { ClientError } from './client-error.ts'

/** The position of a walk that is over: a walk that starts here has nothing to do. */
export const walkEnd = 'end-of-walk'

export interface WalkBounds {
  readonly maxPages?: number
  readonly maxEmptyPages?: number
}

export function checkWalkOptions({ maxPages = 1, maxEmptyPages = 0 }: WalkBounds): void {
  if (!isCount(maxPages) || maxPages === 0)
    throw new ClientError('invalid_option', 'maxPages must be a whole number, 1 or more')
  if (!isCount(maxEmptyPages))
    throw new ClientError('invalid_option', 'maxEmptyPages must be a whole number, 0 or more')
}

/** A page source may be plain JavaScript: what it returns is looked at before it is trusted. */
export function checkPage(page: unknown, position: string | null): void {
  const problem = problemOf(page)
  if (problem !== null) throw new ClientError('unexpected_page', problem, { position })
}

function problemOf(page: unknown): string | null {
  if (typeof page !== 'object' || page === null) return 'the page source must return an object'
  if (!('items' in page) || !Array.isArray(page.items)) return '`items` of a page must be an array'
  if (!('next' in page) || (page.next !== null && typeof page.next !== 'string'))
    return '`next` of a page must be a string, or null at the end'
  if (page.next === walkEnd) return `"${walkEnd}" means the end of a walk and cannot be a cursor`
  return null
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}
