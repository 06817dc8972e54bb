/** Renders mail as plain text and as HTML, in which all values are escaped. */
import { html } from '../../protocols/net/html.ts'

/**
 * The content of a mail, independent of its format. What tenants have written stands in facts alone: nobody chooses what a mail
 * of this installation is about, or says.
 */
export interface MailContent {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** Facts by label, in this order. `Link` leads somewhere; all others are shown so that no reader makes links of them. */
  readonly facts: Readonly<Record<string, string>>
  /** The reason why the reader gets it, if not because a Project is theirs. */
  readonly reason?: string
}

export interface MailBodies {
  readonly text: string
  readonly html: string
}

const reasonOfOwners = 'This mail was sent by Wolke because your address is that of the owner of the Project.'

/** Renders both forms of a mail. */
export function renderMail({ subject, paragraphs, facts, reason = reasonOfOwners }: MailContent): MailBodies {
  const list = Object.entries(facts).map(([label, value]) => [label, label === 'Link' ? value : asText(value)] as const)
  const lines = list.map(([label, value]) => `${label}: ${value}`).join('\n')
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${subject}</title></head>
<body style="font: 16px/1.5 sans-serif; max-width: 40em; margin: 2em auto; padding: 0 1em; color: #222">
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}<table style="border-collapse: collapse">
${list.map(([label, value]) => html`<tr><th style="${cell}">${label}</th><td style="${cell}">${value}</td></tr>\n`)}</table>
<p style="color: #666; font-size: 13px">${reason}</p>
</body></html>
`
  return { text: `${[...paragraphs, lines, `-- \n${reason}`].join('\n\n')}\n`, html: page.toString() }
}

/** Puts text on one line, for headers and lists. */
export function oneLine(text: string, mostLength = 500): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, mostLength)
}

const mostOfFact = 300

/**
 * A value on one line, without characters that turn or hide others, and without what mail programs make links of: dots within
 * words and the signs after a scheme stand in brackets.
 */
function asText(value: string): string {
  const line = oneLine(value, Number.POSITIVE_INFINITY).replace(/\p{Cf}/gu, '')
  const bounded = line.length > mostOfFact ? `${line.slice(0, mostOfFact)}...` : line
  return bounded.replaceAll('://', '[://]').replace(/(?<=[^\s.])[.\u3002\uff0e\uff61](?=[^\s.])/g, '[.]')
}

const cell = 'text-align: left; vertical-align: top; padding: 2px 16px 2px 0'
