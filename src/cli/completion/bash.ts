// The completion of bash: one function, nothing of it is loaded from elsewhere, and it works in bash 3.2 and later.
import { type CompletionPlace, steps } from './model.ts'
import { shellQuoted } from './shell-word.ts'

const listed = (words: readonly { word: string }[]): string =>
  shellQuoted(words.map(({ word }) => word).join(' '))

const PIPELINES = '$(contact-sync completion pipelines "${config[@]}" 2>/dev/null)'

function valueCases(place: CompletionPlace): string[] {
  return place.valued.map(({ names, choices, isFile, isPipeline }) => {
    const reply = isFile
      ? 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur"))'
      : isPipeline
        ? `COMPREPLY=($(compgen -W "${PIPELINES}" -- "$cur"))`
        : `COMPREPLY=($(compgen -W ${shellQuoted(choices.join(' '))} -- "$cur"))`
    return `    ${names.map((name) => shellQuoted(`${place.path}|${name}`)).join('|')}) ${reply}; return ;;`
  })
}

function placeCase({ path, words, options, takesFile, takesPipelines }: CompletionPlace): string {
  const extra = [
    ...(takesPipelines ? [`words="$words ${PIPELINES}"`] : []),
    ...(takesFile ? ['files=1'] : []),
  ].map((line) => ` ${line};`)
  return `    ${shellQuoted(path)}) words=${listed(words)}; options=${listed(options)};${extra.join('')} ;;`
}

export function bashScript(all: readonly CompletionPlace[]): string {
  return `# contact-sync: completion for bash. Try it with: source <(contact-sync completion bash)
_contact_sync() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local path='' words='' options='' files='' i word
  local -a config=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == --config ]]; then config=(--config "\${COMP_WORDS[i+1]}"); ((i++)); continue; fi
    case "\${path:+$path }$word" in
      ${steps(all).map(shellQuoted).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path|$prev" in
${all.flatMap(valueCases).join('\n')}
  esac
  case "$path" in
${all.map(placeCase).join('\n')}
  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$cur")); return; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ -n $files ]]; then compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$cur")); fi
}
complete -F _contact_sync contact-sync
`
}
