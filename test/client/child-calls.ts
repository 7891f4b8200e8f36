import { once } from 'node:events'
import { tokenFile } from '../../src/client/node/token-file.ts'
import { createOAuth } from '../../src/client/oauth/create-oauth.ts'
import { callTool } from '../authority/e2e-plain-client.ts'

/** A program of its own that shares a token file with others: told to, it makes five calls at once. */
const [, , resource = '', path = ''] = process.argv
let refreshes = 0
const oauth = createOAuth({
  resource,
  store: tokenFile(path),
  mayAsk: false,
  onEvent: ({ kind }) => {
    if (kind === 'refreshed') refreshes += 1
  },
})
process.send?.('ready')
await once(process, 'message')
try {
  const tokens = await Promise.all(Array.from({ length: 5 }, () => oauth.token()))
  const answers = await Promise.all(tokens.map(({ accessToken }) => callTool(resource, accessToken)))
  process.send?.({ refreshes, statuses: answers.map(({ status }) => status) })
} catch (error) {
  process.send?.({ refreshes, statuses: [], error: String(error) })
}
process.disconnect?.()
