/** The completion of bash. */
import { type DescribedCommand, withAll } from './description.ts'
import { leadsOf, quoted, setValue, wordsOf } from './words.ts'

/** Writes a function that finds the command of the line, and what may stand where the cursor is. */
export function bashCompletion(program: DescribedCommand): string {
  const [name = ''] = program.words
  return `# Completion of ${name} for bash.
_${name}() {
  local word i value='' path=${name} current=\${COMP_WORDS[COMP_CWORD]} words=''
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $word == = ]] && continue
    [[ $word == -- ]] && return
    if [[ -n $value ]]; then value=''; continue; fi
    case "$path $word" in
${leadsOf(program)
  .map(({ lines, kind }) => `      ${patterns(lines)}) ${kind === 'command' ? 'path+=" $word"' : setValue(kind)} ;;`)
  .join('\n')}
    esac
  done
  [[ $current == = ]] && current=''
  if [[ -n $value ]]; then
    words=\${value#:}
  elif [[ $current == -* ]]; then
    case $path in
${withAll(program)
  .map(({ words, options }) => `      ${quoted(words.join(' '))}) words=${quoted(options.map(flagOf).join(' '))} ;;`)
  .join('\n')}
    esac
  else
    case $path in
${withAll(program)
  .map((command) => `      ${quoted(command.words.join(' '))}) words=${quoted(nextWords(command).join(' '))} ;;`)
  .join('\n')}
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
# Where there is nothing to say, it is a file.
complete -o bashdefault -o default -F _${name} ${name}
`
}

const flagOf = ({ flag }: { readonly flag: string }) => flag
const patterns = (lines: readonly string[]) => lines.map(quoted).join(' | ')

const nextWords = ({ commands, arguments: given }: DescribedCommand) => [
  ...commands.map(({ words }) => words.at(-1)!),
  ...wordsOf(given[0]?.kind),
]
