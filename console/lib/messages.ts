/** Messages of the server in another language, by templates. Pure. */

/**
 * Messages and what they are in another language. `{1}` stands for any text, which is itself put into the language if it
 * has a form; `{+}` for one that must have one.
 */
export type Forms = Readonly<Record<string, string>>

/** The causes of failed actions of a family, in failures.ts of its slice: by messages with names, and by codes. */
export interface Failures {
  readonly named: Forms
  readonly causes: Readonly<Record<string, string>>
}

interface Template {
  readonly pattern: RegExp
  /** The names of the places, in their order. */
  readonly places: readonly string[]
  readonly own: string
}

const place = /\{([1-9+])\}/g
/** Matches a quoted text, or any text. */
const anything = '("(?:[^"\\\\]|\\\\.)*"(?:\\.\\.\\.)?|.+?)'

/** Finds the form of a message; undefined when there is none. */
export function translator(forms: Forms): (message: string) => string | undefined {
  const templates = Object.entries(forms).flatMap(([message, own]) => templateOf(message, own) ?? [])
  const find = (message: string): string | undefined => {
    if (Object.hasOwn(forms, message)) return forms[message]
    for (const template of templates) {
      const form = fill(template, message)
      if (form !== undefined) return form
    }
    return undefined
  }
  const fill = ({ pattern, places, own }: Template, message: string): string | undefined => {
    const found = pattern.exec(message)?.slice(1)
    if (!found) return undefined
    const texts = new Map(places.map((name, index) => [name, formIn(name, found[index]!)]))
    if ([...texts.values()].includes(undefined)) return undefined
    return own.replace(place, (_, name: string) => texts.get(name) ?? '')
  }
  const formIn = (name: string, text: string): string | undefined => {
    const form = text.startsWith('"') ? undefined : find(text)
    return form ?? (name === '+' ? undefined : text)
  }
  // What is wrong with a part of a field begins with its place, such as `[0].value`.
  return (message) => {
    const [, at = '', rest = message] = /^([[.][\w.[\]]* )(.+)$/s.exec(message) ?? []
    const form = find(rest)
    return form === undefined ? undefined : at + form
  }
}

function templateOf(message: string, own: string): Template | undefined {
  const places = [...message.matchAll(place)].map(([, name]) => name!)
  if (places.length === 0) return undefined
  const source = message
    .split(/\{[1-9+]\}/)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join(anything)
  return { pattern: new RegExp(`^${source}$`, 's'), places, own }
}
