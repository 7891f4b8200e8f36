import { ClientError } from '../client/client-error.ts'
import type { Content } from '../client/models/content.ts'
import type { ModelClient } from '../client/models/create-model-client.ts'
import type { GenerateRequest } from '../client/models/generate-request.ts'
import type { Stopper } from './chat-stopper.ts'
import { answerPrinter } from './generate-answer.ts'
import type { Io } from './io.ts'

export interface Chat {
  readonly client: ModelClient
  readonly model: string
  readonly settings: Pick<GenerateRequest, 'generationConfig' | 'systemInstruction'>
}

export interface TurnOrder {
  readonly said: readonly Content[]
  readonly message: string
  readonly stopper: Stopper
}

export interface Turn {
  readonly said: readonly Content[]
  readonly isStopped: boolean
  readonly error?: ClientError
}

/** One message and its answer. What was not answered at all is as if it had not been said. */
export async function takeTurn(io: Io, chat: Chat, { said, message, stopper }: TurnOrder): Promise<Turn> {
  const printer = answerPrinter(io)
  const contents = [...said, content('user', message)]
  const heard = (): readonly Content[] =>
    printer.text() === '' ? said : [...contents, content('model', printer.text())]
  const signal = stopper.begin()
  try {
    const request = { ...chat.settings, contents }
    for await (const piece of chat.client.stream(chat.model, request, { signal })) {
      printer.add(piece)
      printer.print(piece.text)
    }
    printer.end()
    return { said: heard(), isStopped: false }
  } catch (error) {
    printer.end()
    if (signal.aborted) return { said: heard(), isStopped: true }
    if (error instanceof ClientError) return { said, isStopped: false, error }
    throw error
  } finally {
    stopper.end()
  }
}

function content(role: 'user' | 'model', text: string): Content {
  return { role, parts: [{ text }] }
}
