/** Renders requests for the hcloud command line by the table of its families. */
import { quoted } from '../../../src/kernel/process/shell-words.ts'
import type { Asked, Known, Reason, Rendered } from '../request.ts'
import { commandLine, piped } from '../shell.ts'
import {
  type AnyCommand,
  type AnyField,
  type Call,
  type Context,
  type Input,
  type More,
  noOption,
  noValue,
  type Positional,
  Refusal,
  type Words,
} from './forms.ts'
import { optionOf } from './options.ts'
import { hcloudForms } from './table.ts'

/** Renders a request as one or several commands of hcloud, or says why it has none. */
export function toHcloud(asked: Asked, known: Known = {}): Rendered {
  const form = hcloudForms[asked.operation]
  if (form === undefined) return { reason: { kind: 'command' } }
  if (form instanceof Refusal) return { reason: form.reasonOf() }
  const rendering = new Rendering(form, asked, known)
  if (rendering.refusal) return { reason: rendering.refusal }
  const commands = rendering.commands()
  let since = rendering.since
  for (const next of rendering.rest) {
    const rendered = toHcloud(next)
    if ('reason' in rendered) return rendered
    commands.push(rendered.text)
    since = Math.max(since, rendered.since ?? 0)
  }
  if (commands.length === 0) return { reason: { kind: 'nothing' } }
  // The further commands are about what was made: where that fails, something else may have its name.
  return { text: commands.join(' &&\n'), ...(since > 0 ? { since } : {}) }
}

class Rendering {
  readonly #form: AnyCommand
  readonly #asked: Asked
  readonly #known: Known
  readonly #options: string[] = []
  readonly #positional: string[] = []
  readonly #more: Call[] = []
  readonly #files: [name: string, text: string][] = []
  #input: string | undefined
  /** The further requests, one by one. */
  readonly rest: readonly Asked[]
  /** The minor version of hcloud that can say all of it; 0 for every one. */
  since: number
  refusal: Reason | undefined

  constructor(form: AnyCommand, asked: Asked, known: Known) {
    this.#form = form
    this.#asked = asked
    this.#known = known
    this.since = form.since ?? 0
    const body: Record<string, unknown> = { ...(asked.body as object | undefined) }
    for (const [name, value] of Object.entries(form.defaults ?? {})) body[name] ??= value
    for (const [name, value] of defined(body)) this.#take(name, value, form.fields[name], body)
    for (const [name, value] of defined(asked.query ?? {})) this.#take(name, value, form.query?.[name], body)
    for (const operation of asked.afterwards ?? []) {
      const words = form.afterwards?.[operation]
      if (words) this.#options.push(...words)
      else this.refusal ??= { kind: 'command' }
    }
    const rest = form.rest?.(this.#context(body)) ?? []
    if (rest instanceof Refusal) this.refusal ??= rest.reasonOf()
    this.rest = rest instanceof Refusal ? [] : rest
  }

  #context(body: unknown): Context<never> {
    return { body: body as never, params: this.#asked.params ?? {}, known: this.#known }
  }

  #take(name: string, value: unknown, field: AnyField | undefined, body: unknown): void {
    const said = this.#wordsOf(value, field, body)
    const words = 'since' in said ? said.words : said
    if ('since' in said) this.since = Math.max(this.since, said.since)
    if (words instanceof Refusal) this.refusal ??= words.reasonOf(name)
    else if ('commands' in words) this.#more.push(...(words as More).commands)
    else if ('positional' in words) this.#positional.push(...(words as Positional).positional)
    else if ('flag' in words) this.#read(name, words as Input)
    else this.#options.push(...(words as readonly string[]))
  }

  #read(name: string, { flag, input, files = {} }: Input): void {
    // A program has one standard input.
    if (input !== undefined && this.#input !== undefined) this.refusal ??= noValue.reasonOf(name)
    this.#options.push(...flag)
    this.#input ??= input
    this.#files.push(...Object.entries(files))
  }

  #wordsOf(value: unknown, field: AnyField | undefined, body: unknown): Words {
    if (field === undefined) return noOption
    if (field instanceof Refusal) return field
    return typeof field === 'string' ? optionOf(field, value) : field(value as never, this.#context(body))
  }

  /** The command itself, what it reads, and those that stand for its fields. */
  commands(): string[] {
    const saved = this.#files.map(([name, text]) => `printf %s ${quoted(text)} > ${quoted(name)}`)
    return [...saved, ...this.#main(), ...this.#more.map(lineOf)]
  }

  /** Returns nothing where the commands that stand for its fields are enough. */
  #main(): string[] {
    const { words, fields } = this.#form
    const takesBody = Object.keys(fields).length > 0
    const isSilent = this.#options.length === 0 && this.#positional.length === 0
    if (takesBody && isSilent && (this.#more.length > 0 || words.length === 0)) return []
    const params = this.#asked.params ?? {}
    const about = words.filter((word) => word.startsWith('{')).map((word) => String(params[word.slice(1, -1)]))
    const verb = words.filter((word) => !word.startsWith('{')).join(' ')
    const line = lineOf({ verb, options: this.#options, own: [...about, ...this.#positional] })
    return [this.#input === undefined ? line : piped(this.#input, line)]
  }
}

function lineOf({ verb, options = [], own }: Call): string {
  const name = ['hcloud', ...verb.split(' ')]
  return own.some((word) => word.startsWith('-'))
    ? commandLine([...name, ...options, '--', ...own], true)
    : commandLine([...name, ...own, ...options], options.length > 2)
}

/** The fields that have a value. */
function defined(fields: object): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
}
