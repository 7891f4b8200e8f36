/** What is told and kept of a newcomer's run. */

export function table(steps, { seconds, most }) {
  const row = (name, time, outcome) => `${name.padEnd(20)} ${time.padStart(8)}  ${outcome}`.trimEnd()
  return [
    row('STEP', 'SECONDS', 'OUTCOME'),
    ...steps.map((one) => row(one.name, one.seconds.toFixed(1), one.outcome ?? 'FAILED')),
    row('all, after install', seconds.toFixed(1), `of at most ${most}`),
    '',
  ].join('\n')
}

export function artefact({ summary, panes, secrets, home }) {
  const shown = Object.entries(panes).map(
    ([name, text]) => `===== ${name} =====\n\n${plain(text, { secrets, home })}\n`,
  )
  return [
    `A newcomer's run on a clean checkout, written by "npm run newcomer".\n`,
    'What follows the table is what the two panes of the terminal showed. Secrets are masked as ***, and most of the',
    'lines of a long list are left out, where it says so.\n',
    summary,
    ...shown,
  ].join('\n')
}

function plain(text, { secrets, home }) {
  const hidden = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  const masked = hidden
    .replaceAll(/postern_[\w-]{20,}/g, 'postern_***')
    .replaceAll(/\b(state|code_challenge|nonce|client_id)=[^&\s]+/g, '$1=***')
    .replaceAll(home, '~')
  return shortened(masked.split('\n').filter((line) => !ofThisMachine.test(line))).join('\n')
}

/** What npm says of the settings of the machine. */
const ofThisMachine = /^npm (warn Unknown \w+ config|notice)/

/** Of many events in a row the first and the last few. */
function shortened(lines) {
  const isEvent = (line) => /^\d+ +\d{4}-\d\d-\d\d /.test(line)
  const first = lines.findIndex(isEvent)
  const last = lines.findLastIndex(isEvent)
  const kept = 12
  if (last - first < 3 * kept) return lines
  const cut = last - first + 1 - 2 * kept
  return [
    ...lines.slice(0, first + kept),
    `  … ${cut} lines left out here …`,
    ...lines.slice(last - kept + 1),
  ]
}
