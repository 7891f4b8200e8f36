import { geminiHome } from './dev-files.ts'
import type { DevPrograms } from './dev-programs.ts'
import { createStyle } from './style.ts'

/** What runs where, and commands that work as they stand. */
export function welcome(programs: DevPrograms, terminal: { readonly hasColor: boolean }): string {
  const { bold, dim } = createStyle(terminal)
  const { gatewayUrl, authorityUrl, secrets, apiKey } = programs
  const moved = programs.isMoved ? dim('  (8080 or 8081 is taken)') : ''
  return `
${bold('Postern is running.')}

  gateway    ${bold(gatewayUrl)}${moved}
  authority  ${bold(authorityUrl)}
  sign in    ${bold('demo')} / ${bold(secrets.demoPassword)}
  API key    ${bold(apiKey)}
  data       ./data ${dim('(SQLite; the configuration in force is data/dev.yaml)')}

${bold('Try it')} in another terminal:

  ${dim('an agent: open the link that it prints, sign in as demo, allow, and it lists the tools')}
  npx @modelcontextprotocol/inspector --cli ${gatewayUrl}/mcp --transport http --method tools/list

  ${dim('without a token nobody gets in; the answer says where to get one')}
  curl -i -X POST ${gatewayUrl}/mcp
  curl ${gatewayUrl}/.well-known/oauth-protected-resource/mcp
  curl ${authorityUrl}/.well-known/oauth-authorization-server

  ${dim('a script gets a token for itself, and calls a tool')}
  TOKEN=$(curl -s -u 'script:${secrets.script}' -d 'grant_type=client_credentials&scope=demo:echo&resource=${gatewayUrl}/mcp' ${authorityUrl}/token | node -pe 'JSON.parse(fs.readFileSync(0)).access_token')
  curl ${gatewayUrl}/mcp -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}'

  ${dim('an app calls a model; the embedded one tells stories')}
  curl ${gatewayUrl}/v1beta/models/tiny:generateContent -H 'x-goog-api-key: ${apiKey}' -H 'Content-Type: application/json' -d '{"contents":[{"parts":[{"text":"Once upon a time"}]}]}'

  ${dim('the official SDKs and the Gemini CLI need these variables, and no change')}
  export GOOGLE_GEMINI_BASE_URL=${gatewayUrl} GEMINI_API_KEY=${apiKey} GEMINI_CLI_TRUST_WORKSPACE=true GEMINI_CLI_HOME="$PWD/${geminiHome}"
  npx @google/gemini-cli -m tiny -p 'Once upon a time'

  ${dim('from a terminal, as the demo user')}
  npx postern login ${gatewayUrl}
  npx postern call echo --arg text=hello

  ${dim('people, keys and service accounts')}
  npx postern authority users add ada --config data/dev.yaml
  npx postern keys create --name my-app --config data/dev.yaml
  npx postern help

Not there yet: the console.
Stop with Ctrl-C. Warnings and errors appear below as JSON lines${dim(' (--verbose shows every request)')}.

`
}
