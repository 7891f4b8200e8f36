import type { TestContext } from 'node:test'
import type { AnswerPiece, Candidate, GenerateRequest, GenerationConfig } from '../../src/engines/content.ts'
import type { EngineCall, PieceEngine } from '../../src/engines/engine.ts'
import { createOpenaiEngine } from '../../src/engines/openai/openai-engine.ts'
import type { OpenaiEngineOptions } from '../../src/engines/openai/options.ts'
import { createLog } from '../../src/log/log.ts'
import { type OpenaiServer, startOpenaiServer } from '../openai-server/openai-server.ts'

export const apiKey = 'sk-test-0123456789'

export interface EngineChoice extends Partial<Omit<OpenaiEngineOptions, 'baseUrl' | 'log'>> {
  readonly kind?: 'openai' | 'vllm' | 'llama'
  readonly server?: OpenaiServer
}

export interface EngineUnderTest {
  readonly engine: PieceEngine
  readonly server: OpenaiServer
  readonly lines: readonly string[]
}

/** An engine before a real server, both gone when the test ends. */
export async function engineFor(t: TestContext, choice: EngineChoice = {}): Promise<EngineUnderTest> {
  const { kind = 'vllm', server = await freshServer(t), ...options } = choice
  const lines: string[] = []
  const engine = createOpenaiEngine({
    model: 'echo',
    ...options,
    baseUrl: `${server.origin}/${kind}/v1`,
    log: createLog({ destination: { write: (line: string) => lines.push(line) } }),
  })
  t.after(engine.close)
  return { engine, server, lines }
}

async function freshServer(t: TestContext): Promise<OpenaiServer> {
  const server = await startOpenaiServer()
  t.after(() => server[Symbol.asyncDispose]())
  return server
}

export function callWith(call: Partial<EngineCall> = {}): EngineCall {
  return { signal: new AbortController().signal, requestId: 'req-1', ...call }
}

export function said(text: string, generationConfig?: GenerationConfig): GenerateRequest {
  const contents = [{ role: 'user', parts: [{ text }] }]
  return generationConfig === undefined ? { contents } : { contents, generationConfig }
}

/** All pieces of an answer. */
export async function ended(
  engine: PieceEngine,
  request: GenerateRequest,
  call: Partial<EngineCall> = {},
): Promise<readonly AnswerPiece[]> {
  const pieces: AnswerPiece[] = []
  for await (const piece of engine.generate(request, callWith(call))) pieces.push(piece)
  return pieces
}

export function textOf(pieces: readonly AnswerPiece[], index = 0): string {
  return pieces
    .flatMap(({ candidates }) => candidates.filter((candidate) => candidate.index === index))
    .flatMap(({ content }) => content?.parts ?? [])
    .map(({ text = '' }) => text)
    .join('')
}

export function lastOf(pieces: readonly AnswerPiece[]): Candidate {
  const candidate = pieces.at(-1)?.candidates[0]
  if (candidate === undefined) throw new Error('no answer came')
  return candidate
}
