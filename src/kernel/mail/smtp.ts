/**
 * Delivers mail to an SMTP server (RFC 5321). Its library is loaded with the first mail, because most processes never
 * send one.
 */
import type { Transporter } from 'nodemailer'
import type { Delivery } from './deliveries.ts'
import { renderMail } from './template.ts'

/** The mail server. A password is sent only over an encrypted connection. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS when the server offers it. */
  readonly secure: boolean
  readonly login?: { readonly user: string; readonly pass: string }
}

/** A permanent failure of this mail, according to the server. */
export class MailRefused extends Error {}

/** Sends one mail; rejects unless the server has accepted it. Errors: `MailRefused`; any temporary error. */
export type SendMail = (mail: Letter, signal: AbortSignal) => Promise<unknown>

/** The part of a mail that is sent. */
export type Letter = Pick<Delivery, 'recipient' | 'content' | 'message_id' | 'created'>

/** Parses `smtp://HOST` or `smtps://USER:PASSWORD@HOST:PORT`; undefined for anything else. */
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

/** Timeout of the connection and of the server's greeting, in milliseconds. */
const connectMs = 30_000

/** Sends mail through `server` from the address `from`, each on its own connection. */
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
      // Suppresses automatic replies such as vacation notices (RFC 3834).
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

/** The most time of each answer to a greeting, in milliseconds. */
const greetMs = 5_000

/** Greets a mail server, and signs in where there is a login, without sending anything. Errors: why that fails. */
export async function greet({ login, ...server }: SmtpServer): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    ...server,
    ...(login ? { auth: login, requireTLS: true } : {}),
    connectionTimeout: greetMs,
    greetingTimeout: greetMs,
    socketTimeout: greetMs,
  })
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

/**
 * Tells whether the recipient or the message is refused permanently. A refused sender or login is a configuration
 * error.
 */
function isFinal(error: unknown): boolean {
  const { permanent, command } = error as { permanent?: boolean; command?: string }
  return permanent === true && (command === 'RCPT TO' || command === 'DATA')
}
