/** Renders mail as plain text and as HTML, in which all values are escaped. */
import { html } from '../../net/html.ts'

/** The content of a mail, independent of its format. */
export interface MailContent {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** Facts by label, in this order. */
  readonly facts: Readonly<Record<string, string>>
  /** Why the reader gets it, when that is not because a Project is theirs. */
  readonly reason?: string
}

export interface MailBodies {
  readonly text: string
  readonly html: string
}

const reasonOfOwners = 'This mail was sent by Wolke because your address is that of the owner of the Project.'

/** Renders both forms of a mail. */
export function renderMail({ subject, paragraphs, facts, reason = reasonOfOwners }: MailContent): MailBodies {
  const list = Object.entries(facts)
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

const cell = 'text-align: left; vertical-align: top; padding: 2px 16px 2px 0'
