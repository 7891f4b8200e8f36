import type { Place } from './completion-places.ts'
import { lookup, valueRows } from './completion-script.ts'

/** Runs in the bash 3.2 of macOS as well, and without the package bash-completion. */
export function bashCompletion(places: readonly Place[]): string {
  return `# Completion of postern in bash. For every new shell, put this into ~/.bashrc:
#   source <(postern completion bash)

${lookup(
  '_postern_words',
  places.map(({ path, words }) => [path, words.map(({ text }) => text)]),
)}

${lookup(
  '_postern_options',
  places.map(({ path, options }) => [path, options.map(({ text }) => text)]),
)}

${lookup('_postern_values', valueRows(places))}

${driver}`
}

const driver = String.raw`_postern_reply() {
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_postern_value() {
  local IFS=$'\n'
  case "$1" in
    (:file)
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$2"))
      ;;
    (:any) ;;
    (*) _postern_reply "$1" "$2" ;;
  esac
}

_postern() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local place='' word values index
  COMPREPLY=()
  # bash takes the "=" of --option=value for a word.
  if [[ "$current" == '=' ]]; then
    current=''
  elif [[ "$previous" == '=' ]]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ "$word" != -* ]] && _postern_words "$place" | grep -Fqx -- "$word" || break
    place="\${place:+$place }$word"
  done
  values="$(_postern_values "$place $previous")"
  if [[ "$previous" == --* && -n "$values" ]]; then
    _postern_value "$values" "$current"
  elif [[ "$current" == -* ]]; then
    _postern_reply "$(_postern_options "$place")" "$current"
  else
    values="$(_postern_words "$place")"
    [[ -n "$values" ]] || values="$(_postern_values "$place ...")"
    [[ -n "$values" ]] || values="$(_postern_options "$place")"
    _postern_value "$values" "$current"
  fi
}

complete -F _postern postern
`.replaceAll(String.raw`\${`, '${')
