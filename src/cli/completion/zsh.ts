// The completion of zsh, with what each word does beside it.
import { type Choice, type CompletionPlace, steps } from './model.ts'
import { shellQuoted } from './shell-word.ts'

const described = (choices: readonly Choice[]): string =>
  choices.map(({ word, help }) => shellQuoted(`${word.replaceAll(':', '\\:')}:${help}`)).join(' ')

const PIPELINES = 'compadd -- ${(f)"$(contact-sync completion pipelines $config 2>/dev/null)"}'

function valueCases(place: CompletionPlace): string[] {
  return place.valued.map(({ names, choices, isFile, isPipeline }) => {
    const reply = isFile
      ? '_files'
      : isPipeline
        ? PIPELINES
        : `compadd -- ${choices.map(shellQuoted).join(' ')}`
    return `    ${names.map((name) => shellQuoted(`${place.path}|${name}`)).join('|')}) ${reply}; return ;;`
  })
}

function placeCase({ path, words, options, takesFile, takesPipelines }: CompletionPlace): string {
  const lines = [
    `options=(${described(options)})`,
    ...(words.length > 0 ? [`choices=(${described(words)})`] : []),
    ...(takesPipelines ? ['pipelines=1'] : []),
    ...(takesFile ? ['files=1'] : []),
  ]
  return `    ${shellQuoted(path)}) ${lines.join('; ')} ;;`
}

export function zshScript(all: readonly CompletionPlace[]): string {
  return `#compdef contact-sync
# contact-sync: completion for zsh. Put it as _contact-sync into a folder of $fpath.
_contact_sync() {
  local at='' word pipelines='' files='' i
  local -a config options choices
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ $word == --config ]]; then config=(--config "\${words[i+1]}"); ((i++)); continue; fi
    case "\${at:+$at }$word" in
      ${steps(all).map(shellQuoted).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at|\${words[CURRENT-1]}" in
${all.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${all.map(placeCase).join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe -o option options; return; fi
  (( \${#choices} )) && _describe command choices
  [[ -n $pipelines ]] && ${PIPELINES}
  [[ -n $files ]] && _files
  return 0
}
if [[ $funcstack[1] == _contact-sync ]]; then _contact_sync "$@"; else compdef _contact_sync contact-sync; fi
`
}
