import type { Candidate, Place } from './completion-places.ts'
import { lookup, valueRows } from './completion-script.ts'

export function zshCompletion(places: readonly Place[]): string {
  return `#compdef postern
# Completion of postern in zsh. For every new shell, put this into ~/.zshrc, below compinit:
#   source <(postern completion zsh)

${lookup(
  '_postern_words',
  places.map(({ path, words }) => [path, words.map(described)]),
)}

${lookup(
  '_postern_options',
  places.map(({ path, options }) => [path, options.map(described)]),
)}

${lookup('_postern_values', valueRows(places))}

${driver}`
}

function described({ text, description }: Candidate): string {
  return `${text}:${description}`
}

const driver = String.raw`_postern_value() {
  case "$1" in
    (:file) _files ;;
    (:any) _message 'a value' ;;
    (*) compadd -- "\${(@f)1}" ;;
  esac
}

_postern() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}" place='' word values index
  local -a found
  for ((index = 2; index < CURRENT; index++)); do
    word="\${words[index]}"
    [[ "$word" != -* ]] || break
    found=("\${(@f)$(_postern_words "$place")}")
    (( \${found[(I)\${(b)word}:*]} )) || break
    place="\${place:+$place }$word"
  done
  values="$(_postern_values "$place $previous")"
  if [[ "$previous" == --* && -n "$values" ]]; then
    _postern_value "$values"
  elif [[ "$current" == -* ]]; then
    found=("\${(@f)$(_postern_options "$place")}")
    _describe -o 'option' found
  else
    found=("\${(@f)$(_postern_words "$place")}")
    if [[ -n "\${found[1]}" ]]; then
      _describe 'command' found
    else
      values="$(_postern_values "$place ...")"
      [[ -z "$values" ]] || _postern_value "$values"
    fi
  fi
}

if [[ "\${funcstack[1]}" == '_postern' ]]; then
  _postern "$@"
else
  compdef _postern postern
fi
`.replaceAll(String.raw`\${`, '${')
