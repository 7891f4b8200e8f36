import type { OptionCandidate, Place, Value } from './completion-places.ts'

export function fishCompletion(places: readonly Place[]): string {
  return `# Completion of postern in fish. For every new shell:
#   postern completion fish > ~/.config/fish/completions/postern.fish

${functions}
complete -c postern -f
${places.flatMap(linesOf).join('\n')}
`
}

/** The words of the command come before its options. */
const functions = `function __postern_words
    set -l tokens (commandline -opc)
    for token in $tokens[2..-1]
        string match -q -- '-*' $token; and return
        echo $token
    end
end

function __postern_at
    set -l typed (__postern_words)
    test "$typed" = "$argv[1]"
end

function __postern_in
    set -l typed (__postern_words)
    test "$typed" = "$argv[1]"; or string match -q -- "$argv[1] *" "$typed"
end
`

function linesOf({ path, words, options, argument }: Place): readonly string[] {
  const at = `complete -c postern -n ${quoted(`__postern_at ${quoted(path)}`)}`
  // Behind a command that takes further words, its options still follow.
  const within = argument === undefined ? at : at.replace('__postern_at', '__postern_in')
  return [
    ...words.map(({ text, description }) => `${at} -a ${text} -d ${quoted(description)}`),
    ...options.map((option) => `${within} ${optionFlags(option)}`),
    ...(argument === undefined ? [] : argumentFlags(argument).map((flags) => `${at} ${flags}`)),
  ]
}

function optionFlags({ text, description, value }: OptionCandidate): string {
  const flags = value === undefined ? [] : value === 'file' ? ['-r', '-F'] : ['-x', ...choices(value)]
  return [`-l ${text.slice(2)}`, ...flags, `-d ${quoted(description)}`].join(' ')
}

function argumentFlags(value: Value): readonly string[] {
  return value === 'file' ? ['-F'] : choices(value)
}

function choices(value: Value): readonly string[] {
  return typeof value === 'string' ? [] : [`-a ${quoted(value.join(' '))}`]
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
}
