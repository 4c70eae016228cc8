// The completion of fish: a line for each word and option, shown where it can be typed.
import { type CompletionPlace, steps } from './model.ts'

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const PIPELINES = '(__contact_sync_pipelines)'

function lines({ path, words, options, valued, takesFile, takesPipelines }: CompletionPlace): string[] {
  const where = `complete -c contact-sync -n ${quoted(`__contact_sync_at ${quoted(path)}`)}`
  const valueOf = (name: string): string => {
    const option = valued.find(({ names }) => names.includes(name))
    if (option === undefined) return ''
    if (option.isFile) return ' -r -F'
    if (option.isPipeline) return ` -x -a ${quoted(PIPELINES)}`
    return ` -x${option.choices.length === 0 ? '' : ` -a ${quoted(option.choices.join(' '))}`}`
  }
  return [
    ...words.map(({ word, help }) => `${where} -a ${word} -d ${quoted(help)}`),
    ...options.map(({ word, help }) => `${where} -l ${word.slice(2)}${valueOf(word)} -d ${quoted(help)}`),
    ...(takesPipelines ? [`${where} -a ${quoted(PIPELINES)}`] : []),
    ...(takesFile ? [`${where} -F`] : []),
  ]
}

export function fishScript(all: readonly CompletionPlace[]): string {
  return `# contact-sync: completion for fish. Put it into ~/.config/fish/completions/contact-sync.fish.
function __contact_sync_path
  set -l path
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip -eq 1
      set skip 0
      continue
    end
    if test "$word" = --config
      set skip 1
      continue
    end
    switch (string trim "$path $word")
      case ${steps(all).map(quoted).join(' ')}
        set path (string trim "$path $word")
    end
  end
  echo "$path"
end
function __contact_sync_at
  test (__contact_sync_path) = "$argv[1]"
end
function __contact_sync_pipelines
  set -l config
  set -l words (commandline -opc)
  if set -l at (contains -i -- --config $words)
    set config --config $words[(math $at + 1)]
  end
  contact-sync completion pipelines $config 2>/dev/null
end
complete -c contact-sync -f
${all.flatMap(lines).join('\n')}
`
}
