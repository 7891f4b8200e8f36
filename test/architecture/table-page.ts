import { importTable, type PartRule } from './import-table.ts'

/** The import table as it stands in docs/architecture.md. */
export function renderImportTable(): string {
  const head = ['part', 'state', 'what it is', 'may import', 'npm packages', 'modules of Node']
  const rows = importTable.map((part) => [
    `\`${part.folder.startsWith('src/') ? part.name : `${part.folder}/`}\``,
    part.state,
    part.purpose,
    listed(part.parts.map((name) => withFiles(name, part))),
    listed(part.packages.map(coded)),
    builtinsOf(part),
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function builtinsOf({ builtins, builtinsOnlyIn }: PartRule): string {
  if (builtins === 'any') return 'any'
  const names = listed(builtins.map(coded))
  return builtinsOnlyIn === undefined ? names : `${names} (only in \`${builtinsOnlyIn}\`)`
}

function withFiles(name: string, { onlyFrom }: PartRule): string {
  const words = onlyFrom?.[name]
  if (words === undefined) return name
  return `${name} (only in ${words.map((word) => `\`${word}.ts\`, \`${word}-*.ts\``).join(', ')})`
}

function coded(name: string): string {
  return `\`${name}\``
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? '–' : names.join(', ')
}
