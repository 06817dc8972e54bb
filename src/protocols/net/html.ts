/** HTML as values: text becomes markup in one place only, which escapes it. */

export class Html {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

/** A value in a template: text and numbers are escaped, lists are joined, undefined renders as nothing. */
export type Part = Html | string | number | undefined | readonly Part[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, i) => text + markup(parts[i])).join(''))
}

function markup(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.toString()
  if (Array.isArray(part)) return part.map(markup).join('')
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
