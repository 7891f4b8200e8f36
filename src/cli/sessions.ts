import type { Session } from '../client/api/session.ts'
import { type Command, hasFlag, jsonOption, onlyWord, printJson } from './command.ts'
import { type Listing, listOptions, pageLimit, showList } from './list-output.ts'
import type { SessionPart } from './sessions-stored.ts'
import { formatTable } from './table.ts'
import { placeOptions, type TwoWays, withPart } from './two-ways.ts'
import { whoOptions, whoQuestion } from './who-question.ts'
import { minuteOf } from './wire-time.ts'

export const sessionsList: Command = {
  name: 'sessions list',
  group: 'Records',
  summary: 'list the credentials in use, newest first',
  options: { ...placeOptions, ...whoOptions('sessions'), ...listOptions },
  details: 'A session is one token or key on one surface. It is idle after 30 minutes without a call.',
  example: 'postern sessions list --all',
  run: async (call) => {
    const who = whoQuestion(call)
    const limit = pageLimit(call)
    const shown =
      who.principal === undefined ? listing : { ...listing, none: 'There are no such sessions.\n' }
    await withPart(call, sessionPart, ({ sessions }) => showList(call, sessions({ ...who, limit }), shown))
    return 0
  },
}

export const sessionsShow: Command = {
  name: 'sessions show',
  group: 'Records',
  summary: 'show all that is known of a session',
  words: 'ID',
  options: { ...placeOptions, json: jsonOption },
  example: 'postern sessions show 01a1dee1-e776-7676-9e48-2b3587ea84fc',
  run: async (call) => {
    const id = onlyWord(call, 'session, by its id')
    const found = await withPart(call, sessionPart, ({ session }) => session(id))
    if (hasFlag(call, 'json')) printJson(call, found)
    else call.io.out(formatTable(['WHAT', 'VALUE'], detailsOf(found), call.io))
    return 0
  },
}

export const sessionsRevoke: Command = {
  name: 'sessions revoke',
  group: 'Records',
  summary: 'refuse the token or key of a session from now on',
  words: 'ID',
  options: { ...placeOptions, json: jsonOption },
  details:
    'It is refused on every surface. Running gateways notice within a second. Whoever can sign in, or holds a refresh token, gets another one from the issuer: end the grant there too.',
  example: 'postern sessions revoke 01a1dee1-e776-7676-9e48-2b3587ea84fc',
  run: async (call) => {
    const id = onlyWord(call, 'session, by its id')
    await withPart(call, sessionPart, ({ revokeSession }) => revokeSession(id))
    if (hasFlag(call, 'json')) printJson(call, { id, state: 'revoked' })
    else call.io.out(`${id} is revoked.\n`)
    return 0
  },
}

const sessionPart: TwoWays<SessionPart> = {
  stored: async (opened) => (await import('./sessions-stored.ts')).storedSessions(opened),
  remote: ({ api }) => api,
}

const listing: Listing<Session> = {
  noun: 'sessions',
  headings: ['ID', 'STATE', 'WHO', 'SURFACE', 'BY', 'CLIENT', 'CALLS', 'DENIED', 'LAST SEEN'],
  row: (one) => [
    one.id,
    one.state,
    one.principal_name ?? one.principal,
    one.surface,
    one.credential.kind,
    one.client ?? '-',
    String(one.calls),
    String(one.denials),
    minuteOf(one.last_seen_at),
  ],
  none: 'There is no session yet. Every token and key that is used here begins one.\n',
}

function detailsOf(one: Session): readonly (readonly string[])[] {
  return [
    ['id', one.id],
    ['state', one.state],
    ['who', one.principal],
    ['known as', one.principal_name ?? '-'],
    ['vouched for by', one.issuer],
    ['client', one.client ?? '-'],
    ['surface', one.surface],
    ['credential', `${one.credential.kind} ${one.credential.id}`],
    ['credential ends', minuteOf(one.credential.expires_at)],
    ['protocol', one.revision === '' ? '-' : one.revision],
    ['first seen', minuteOf(one.created_at)],
    ['last seen', minuteOf(one.last_seen_at)],
    ['calls', `${one.calls}, of which ${one.denials} denied`],
    ['tokens', `${one.tokens_in} in, ${one.tokens_out} out`],
    ['revoked', minuteOf(one.revoked_at)],
  ]
}
