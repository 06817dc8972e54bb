/** The completion of zsh. */
import { type DescribedCommand, type DescribedOption, withAll } from './description.ts'
import { leadsOf, quoted, setValue, wordsOf } from './words.ts'

/** Writes a function that finds the command of the line, and what may stand where the cursor is. */
export function zshCompletion(program: DescribedCommand): string {
  const [name = ''] = program.words
  return `#compdef ${name}
# Completion of ${name} for zsh.
_${name}() {
  local word value='' line=${name}
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ $word == -- ]]; then _files; return; fi
    if [[ -n $value ]]; then value=''; continue; fi
    case "$line $word" in
${leadsOf(program)
  .map(({ lines, kind }) => `      (${patterns(lines)}) ${kind === 'command' ? 'line+=" $word"' : setValue(kind)} ;;`)
  .join('\n')}
    esac
  done
  if [[ -n $value ]]; then
    found=(\${=value#:})
    if (( $#found )); then _describe value found; else _files; fi
    return
  fi
  if [[ $PREFIX == -* ]]; then
    case $line in
${withAll(program)
  .map(({ words, options }) => `      (${quoted(words.join(' '))}) found=(${options.map(optionEntry).join(' ')}) ;;`)
  .join('\n')}
    esac
    _describe -o option found
    return
  fi
  case $line in
${withAll(program)
  .map((command) => `    (${quoted(command.words.join(' '))}) found=(${nextEntries(command).join(' ')}) ;;`)
  .join('\n')}
  esac
  if (( $#found )); then _describe command found; else _files; fi
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`
}

const patterns = (lines: readonly string[]) => lines.map(quoted).join('|')

const entry = (word: string, description: string) => quoted(`${word.replaceAll(':', '\\:')}:${description}`)

const optionEntry = ({ flag, description }: DescribedOption) => entry(flag, description)

const nextEntries = ({ commands, arguments: given }: DescribedCommand) => [
  ...commands.map(({ words, description }) => entry(words.at(-1)!, description)),
  ...wordsOf(given[0]?.kind).map(quoted),
]
