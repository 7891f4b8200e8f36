import { Failure } from '../failure/failure.ts'
import { type Call, type CommandOption, textOption } from './command.ts'

interface WhoQuestion {
  readonly principal?: string
  readonly issuer?: string
}

/** `of` is what a list has of them. */
export function whoOptions(of: string): Readonly<Record<keyof WhoQuestion, CommandOption>> {
  return {
    principal: { type: 'string', placeholder: 'WHO', description: `Only whose ${of}.` },
    issuer: { type: 'string', placeholder: 'ISSUER', description: 'Who vouches for WHO.' },
  }
}

/** Whose records are asked for; what was not asked is not there. */
export function whoQuestion(call: Call): WhoQuestion {
  const [principal, issuer] = ['principal', 'issuer'].map((name) => textOption(call, name))
  if (issuer !== undefined && principal === undefined)
    throw new Failure('invalid-request', '--issuer is understood only beside --principal')
  return {
    ...(principal === undefined ? {} : { principal }),
    ...(issuer === undefined ? {} : { issuer }),
  }
}
