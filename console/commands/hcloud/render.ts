/** Renders requests for the hcloud command line by the table of its families. */
import type { Asked, Known, Reason, Rendered } from '../request.ts'
import { commandLine, piped, quoted } from '../shell.ts'
import {
  type AnyCommand,
  type AnyField,
  type Input,
  type More,
  noOption,
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
  const line = new Line(form, asked, known)
  if (line.refusal) return { reason: line.refusal }
  const text = line.text()
  return text === '' ? { reason: { kind: 'nothing' } } : { text }
}

class Line {
  readonly #form: AnyCommand
  readonly #asked: Asked
  readonly #known: Known
  readonly #options: string[] = []
  readonly #positional: string[] = []
  readonly #more: (readonly string[])[] = []
  readonly #files: [name: string, text: string][] = []
  #input: string | undefined
  refusal: Reason | undefined

  constructor(form: AnyCommand, asked: Asked, known: Known) {
    this.#form = form
    this.#asked = asked
    this.#known = known
    const body = { ...form.defaults, ...defined(asked.body) }
    for (const [name, value] of Object.entries(body)) this.#take(name, value, form.fields[name], body)
    for (const [name, value] of Object.entries(defined(asked.query))) this.#take(name, value, form.query?.[name], body)
    for (const operation of asked.afterwards ?? []) {
      const words = form.afterwards?.[operation]
      if (words) this.#options.push(...words)
      else this.refusal ??= { kind: 'command' }
    }
  }

  #take(name: string, value: unknown, field: AnyField | undefined, body: unknown): void {
    const words = this.#wordsOf(value, field, body)
    if (words instanceof Refusal) this.refusal ??= words.reasonOf(name)
    else if ('commands' in words) this.#more.push(...(words as More).commands)
    else if ('positional' in words) this.#positional.push(...(words as Positional).positional)
    else if ('flag' in words) {
      const { flag, input, files = {} } = words as Input
      this.#options.push(...flag)
      this.#input = input
      this.#files.push(...Object.entries(files))
    } else this.#options.push(...(words as readonly string[]))
  }

  #wordsOf(value: unknown, field: AnyField | undefined, body: unknown): Words {
    if (field === undefined) return noOption
    if (field instanceof Refusal) return field
    if (typeof field === 'string') return optionOf(field, value)
    const context = { body: body as never, params: this.#asked.params ?? {}, known: this.#known }
    return field(value as never, context)
  }

  text(): string {
    const saved = this.#files.map(([name, text]) => `printf %s ${quoted(text)} > ${quoted(name)}`)
    return [...saved, ...this.#main(), ...this.#more.map((words) => commandLine(['hcloud', ...guarded(words)]))].join(
      '\n',
    )
  }

  /** The command itself; without anything to say, those that stand for its fields are enough. */
  #main(): string[] {
    const { words, fields } = this.#form
    const takesBody = Object.keys(fields).length > 0
    const isSilent = this.#options.length === 0 && this.#positional.length === 0
    if (takesBody && isSilent && (this.#more.length > 0 || words.length === 0)) return []
    const params = this.#asked.params ?? {}
    const filled = words.map((word) => word.replace(/^\{(\w+)\}$/, (_, name: string) => String(params[name])))
    const all = ['hcloud', ...filled.slice(0, 2)]
    const own = [...filled.slice(2), ...this.#positional]
    const line = own.some(isOptionLike)
      ? commandLine([...all, ...this.#options, '--', ...own], true)
      : commandLine([...all, ...own, ...this.#options], this.#options.length > 2)
    return [this.#input === undefined ? line : piped(this.#input, line)]
  }
}

const isOptionLike = (word: string) => word.startsWith('-')

/** The fields that have a value; null says no more than absence does. */
function defined(fields: unknown): Readonly<Record<string, unknown>> {
  const all = Object.entries((fields ?? {}) as Record<string, unknown>)
  return Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== null))
}

/** Further commands have their options first, so that `--` can follow. */
function guarded(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word, index) => index >= 2 && !word.startsWith('--'))
  const own = words.slice(start)
  return start >= 0 && own.some(isOptionLike) ? [...words.slice(0, start), '--', ...own] : words
}
