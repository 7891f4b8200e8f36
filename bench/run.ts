import { cpus } from 'node:os'
import { type Finding, isMissed, renderFindings } from './findings.ts'
import { benchModels } from './models.ts'
import { benchPaging } from './paging.ts'
import { benchRecords } from './records.ts'
import { saveResults } from './results-file.ts'
import { benchTools } from './tools.ts'

type Suite = (say: (progress: string) => void) => Promise<readonly Finding[]>

const suites: Readonly<Record<string, Suite>> = {
  paging: benchPaging,
  tools: benchTools,
  models: benchModels,
  records: benchRecords,
}

const usage = `npm run bench -- SUITE [--save]

  SUITE   ${Object.keys(suites).join(', ')}
  --save  also keep the result in bench/RESULTS.md

Ratios are taken within one run; a missed one makes the command fail. Example: npm run bench -- paging`

const [name = '', ...flags] = process.argv.slice(2)
const suite = suites[name]
if (suite === undefined || flags.some((flag) => flag !== '--save')) {
  console.error(usage)
  process.exitCode = 2
} else {
  const findings = await suite((progress) => console.error(`… ${progress}`))
  const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`
  const text = renderFindings(findings)
  console.log(`${text}\n\n${machine}`)
  if (flags.includes('--save')) await saveResults(name, machine, text)
  const missed = findings.filter(isMissed)
  for (const { group, what } of missed) console.error(`missed: ${group}: ${what}`)
  process.exitCode = missed.length === 0 ? 0 : 1
}
