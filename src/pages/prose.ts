/** Renders text of the contract as HTML. */
import { type Html, html } from '../protocols/net/html.ts'

/** Text in which backticks mark code. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/** A remark as a paragraph of its own. */
export function note(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<span class="note">${prose(text)}</span>`
}
