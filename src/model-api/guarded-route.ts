import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, onSendHookHandler } from 'fastify'

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/** What a route declares to stand behind the gate. */
export interface GuardedRoute {
  readonly config: { readonly access: { readonly caller: string } }
  readonly onRequest: Hook
  readonly preHandler: Hook
  readonly onSend: onSendHookHandler
}

/** The gate for an operation, by the name that errors and decisions give it. */
export type Guard = (operation: string) => GuardedRoute
