/** The completion of fish. */
import { type DescribedCommand, type DescribedOption, withAll } from './description.ts'
import { leadsOf, wordsOf } from './words.ts'

/** Writes a function that finds the command of the line, and a line for each option and each word. */
export function fishCompletion(program: DescribedCommand): string {
  const [name = ''] = program.words
  return `# Completion of ${name} for fish.
function __${name}_is
    set -l line ${name}
    set -l value
    for word in (commandline -opc)[2..]
        if set -q value[1]
            set -e value[1]
            continue
        end
        test "$word" = -- && return 1
        switch "$line $word"
${leadsOf(program)
  .map(
    ({ lines, kind }) =>
      `            case ${lines.map(quoted).join(' ')}\n                ${kind === 'command' ? 'set line "$line $word"' : 'set value 1'}`,
  )
  .join('\n')}
        end
    end
    test "$line" = "$argv"
end
complete -c ${name} -f
complete -c ${name} -F -n 'contains -- -- (commandline -opc)'
${withAll(program)
  .flatMap((command) => linesOf(name, command))
  .join('\n')}
`
}

function linesOf(name: string, { words, options, commands, arguments: given }: DescribedCommand): string[] {
  const begin = `complete -c ${name} -n ${quoted(`__${name}_is ${words.join(' ')}`)}`
  const [first] = given
  return [
    ...commands.map((one) => `${begin} -a ${quoted(one.words.at(-1)!)} -d ${quoted(one.description)}`),
    ...options.map((option) => `${begin} ${optionOf(option)}`),
    ...(first?.kind === 'path' ? [`${begin} -F`] : wordsOf(first?.kind).map((word) => `${begin} -a ${quoted(word)}`)),
  ]
}

function optionOf({ flag, short, takes, kind, description }: DescribedOption): string {
  const names = `${short === undefined ? '' : `-s ${short.slice(1)} `}-l ${flag.slice(2)}`
  const words = wordsOf(kind)
  const value = takes === undefined ? '' : kind === 'path' ? ' -r -F' : ' -x'
  return `${names}${value}${words.length > 0 ? ` -a ${quoted(words.join(' '))}` : ''} -d ${quoted(description)}`
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
