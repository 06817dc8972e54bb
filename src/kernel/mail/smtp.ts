/** Hands mail to a server (RFC 5321). The library for it is loaded with the first mail: most processes never send one. */
import type { Transporter } from 'nodemailer'
import type { Delivery } from './deliveries.ts'
import { renderMail } from './template.ts'

/** The server that takes mail on, and from whom it comes. A password is given away only on an encrypted connection. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS where the server offers it. */
  readonly secure: boolean
  readonly login?: { readonly user: string; readonly pass: string }
}

/** A failure of which the server says that it would happen again with this mail. */
export class MailRefused extends Error {}

/** Gives one mail away; rejects unless the server has taken it on. Errors: `MailRefused`; whatever may pass. */
export type SendMail = (mail: Delivery, signal: AbortSignal) => Promise<unknown>

/** Reads `smtp://HOST` or `smtps://USER:PASSWORD@HOST:PORT`; undefined when it is neither. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname || /[^/]/.test(url.pathname + url.search + url.hash)) {
    return undefined
  }
  const secure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const server = { host, port: Number(url.port) || (secure ? 465 : 25), secure }
  if (!url.username && !url.password) return server
  try {
    return { ...server, login: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }
  } catch {
    return undefined
  }
}

/** Milliseconds for a connection, and for its first words. */
const connectMs = 30_000

/** Sends through `server`, each mail on a connection of its own, as from the address `from`. */
export function smtpSender({ login, ...server }: SmtpServer, from: string): SendMail {
  let transport: Promise<Transporter> | undefined
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      ...server,
      ...(login ? { auth: login, requireTLS: true } : {}),
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  return async (mail, signal) => {
    transport ??= open()
    const { text, html } = renderMail(mail.content)
    const message = {
      from: { name: 'Wolke', address: from },
      to: { name: '', address: mail.recipient },
      envelope: { from, to: mail.recipient },
      messageId: `<${mail.message_id}@${from.slice(from.indexOf('@') + 1)}>`,
      date: new Date(mail.created),
      // Nobody is away from a machine (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      subject: mail.content.subject,
      text,
      html,
      signal,
    }
    try {
      await (await transport).sendMail(message)
    } catch (error) {
      throw isFinal(error) ? new MailRefused((error as Error).message, { cause: error }) : error
    }
  }
}

/** The recipient or the message is refused for good. A refused sender or login is a matter of the configuration. */
function isFinal(error: unknown): boolean {
  const { permanent, command } = error as { permanent?: boolean; command?: string }
  return permanent === true && (command === 'RCPT TO' || command === 'DATA')
}
