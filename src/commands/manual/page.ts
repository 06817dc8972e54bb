/** The manual page in the language of man(7). */
import { type DescribedCommand, type DescribedOption, withAll } from './description.ts'

/** What the page says besides what the command line says of itself: blocks of paragraphs by their titles. */
export interface Prose {
  readonly version: string
  /** The day of the version, such as `2026-11-29`. */
  readonly date: string
  /** What stands behind the commands; a pair of texts is a term and what it means. */
  readonly sections: readonly (readonly [title: string, paragraphs: readonly (string | readonly [string, string])[]])[]
}

/** Writes the page of a program. */
export function manualPage(program: DescribedCommand, { version, date, sections }: Prose): string {
  const [name = ''] = program.words
  const blocks = [
    `.TH ${name.toUpperCase()} 1 ${date} "${name} ${version}" "User Commands"`,
    '.SH NAME',
    text(`${name} - ${program.description}`),
    '.SH SYNOPSIS',
    `.B ${name}`,
    '.I command',
    '.RI [ options ]',
    '.SH COMMANDS',
    ...withAll(program).flatMap((command) => (command === program ? [] : commandBlock(command))),
    '.SH OPTIONS',
    ...program.options.flatMap(optionBlock),
    ...sections.flatMap(([title, paragraphs]) => [`.SH ${title}`, ...paragraphs.flatMap(paragraph)]),
  ]
  return `${blocks.join('\n')}\n`
}

function commandBlock({ words, description, arguments: given, options, commands }: DescribedCommand): string[] {
  const shown = [...words, ...given.map((one) => one.shown), ...(commands.length > 0 ? ['<command>'] : [])].join(' ')
  const own = options.filter(({ flag }) => flag !== '--help')
  return [
    `.SS "${escaped(shown)}"`,
    sentence(description),
    ...given.flatMap((one) =>
      one.description === '' ? [] : ['.TP', `.I "${escaped(one.shown)}"`, sentence(one.description)],
    ),
    ...own.flatMap(optionBlock),
  ]
}

function optionBlock({ flag, short, takes, description, defaults, environment }: DescribedOption): string[] {
  const names = [short, flag].filter((name) => name !== undefined).map((name) => `\\fB${escaped(name)}\\fR`)
  const facts = [
    ...(defaults === undefined || description.includes('(default') ? [] : [`Default: ${defaults || 'none'}.`]),
    ...(environment === undefined ? [] : [`Environment: ${environment}.`]),
  ]
  return [
    '.TP',
    `${names.join(', ')}${takes === undefined ? '' : ` \\fI${escaped(takes)}\\fR`}`,
    sentence(description),
    ...facts.map(text),
  ]
}

/** A heading begins a paragraph by itself. */
function paragraph(one: string | readonly [string, string], at: number): string[] {
  return typeof one === 'string'
    ? [...(at === 0 ? [] : ['.PP']), text(one)]
    : ['.TP', `.B "${escaped(one[0])}"`, sentence(one[1])]
}

/** A description as a sentence of its own. */
function sentence(description: string): string {
  const trimmed = description.trim()
  const whole = `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}`
  return text(/[.:]$/.test(whole) ? whole : `${whole}.`)
}

/** A text of which nothing is taken for an escape or the end of a quotation. */
const escaped = (given: string) => given.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq')

/** A text in short lines, of which none is taken for a request. */
function text(given: string): string {
  const lines: string[] = []
  for (const word of escaped(given).split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && longer.length < 80) lines.splice(-1, 1, longer)
    else lines.push(word)
  }
  return lines.map((line) => (/^[.']/.test(line) ? `\\&${line}` : line)).join('\n')
}
