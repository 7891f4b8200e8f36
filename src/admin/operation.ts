import type { Static, TObject, TSchema } from 'typebox'
import type { Principal } from '../auth/principal.ts'
import type { Page } from '../paging/page.ts'
import type { EventSource } from './event-source.ts'

/** Whose records a caller may see who may not see everyone's. */
export interface Owner {
  readonly issuer: string
  readonly principal: string
}

export interface AdminCall<Body> {
  readonly principal: Principal
  /** Undefined when the caller may see and change what belongs to anybody. */
  readonly owner: Owner | undefined
  /** What stands for `{id}` in the path; empty where there is none. */
  readonly id: string
  /** What stands for `{kid}`. */
  readonly kid: string
  /** Each parameter once, its own ones checked against the schema of the operation; those of paging are the pager's. */
  readonly query: Readonly<Record<string, string>>
  /** `Last-Event-ID`, by which a stream is taken up again. */
  readonly lastEventId: string | undefined
  /** Checked against the schema of the operation. */
  readonly body: Body
}

/**
 * A page becomes its envelope with `Link` and `X-Total-Count`; a body is sent as it is, and the record names what was made
 * by its id; a source becomes a stream of events.
 */
export type AdminAnswer =
  | { readonly page: Page<object> }
  | { readonly body: object; readonly location?: string; readonly made?: string }
  | { readonly source: EventSource }
  | { readonly empty: true }

/** One operation of `/api/v1`: what it takes, whom it needs, what it answers. The routes and the OpenAPI document are made of it. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/v1`, such as `/keys/{id}:rotate`. */
  readonly path: string
  readonly id: string
  readonly summary: string
  /** The scope that opens it for everyone's records. */
  readonly scope: string
  /** The scope that opens it for the caller's own records; absent where nobody owns any. */
  readonly ownScope?: 'own:read' | 'own:write'
  /** Its parameters besides those of paging, which `pageStyle` stands for; all of them texts. */
  readonly query?: TObject
  readonly pageStyle?: 'offset' | 'cursor'
  readonly body?: TObject
  /** Of the answer, or of one item of a page or a stream, with its name as title; absent when the answer is empty. */
  readonly answer?: TSchema
  readonly isStream?: true
  readonly status: 200 | 201 | 204
  readonly run: (call: AdminCall<unknown>) => Promise<AdminAnswer>
}

/** As written, but that `run` knows what its body is: the frame has checked it. */
export function defineOperation<Body extends TObject>(
  operation: Omit<Operation, 'run' | 'body'> & {
    readonly body: Body
    readonly run: (call: AdminCall<Static<Body>>) => Promise<AdminAnswer>
  },
): Operation {
  const { run, ...rest } = operation
  const isBody = (value: unknown): value is Static<Body> => value !== undefined
  return {
    ...rest,
    run: (call) => {
      const { body } = call
      if (!isBody(body)) throw new TypeError('the frame checks bodies')
      return run({ ...call, body })
    },
  }
}

/** Any one of these opens the operation. */
export function scopesOf({ scope, ownScope }: Pick<Operation, 'scope' | 'ownScope'>): readonly string[] {
  return ownScope === undefined ? [scope] : [scope, ownScope]
}

/** Whether there is something that a body alone can say. */
export function needsBody({ body }: Pick<Operation, 'body'>): boolean {
  return body !== undefined && ((body.required ?? []).length > 0 || 'minProperties' in body)
}
