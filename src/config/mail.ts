/** Options about mail: through whom it is sent, from whom, and to whom. */
import { InvalidArgumentError, Option } from 'commander'
import { isMailAddress } from '../kernel/mail/address.ts'
import { parseSmtpUrl, type SmtpServer } from '../kernel/mail/smtp.ts'

export interface MailConfig {
  readonly smtp?: SmtpServer
  readonly mailFrom?: string
  readonly ownerEmail?: string
}

function smtp(text: string): SmtpServer {
  const server = parseSmtpUrl(text)
  if (!server) throw new InvalidArgumentError('Expected smtp[s]://[USER:PASSWORD@]HOST[:PORT].')
  return server
}

/** Parses one mail address. Errors: `InvalidArgumentError`. */
export function mailAddress(text: string): string {
  if (!isMailAddress(text)) throw new InvalidArgumentError('Expected one plain address, such as ops@example.com.')
  return text
}

export function mailOptions(): Option[] {
  return [
    new Option('--owner-email <address>', 'address that receives mail about Project default; set at each start')
      .env('WOLKE_OWNER_EMAIL')
      .argParser(mailAddress),
    new Option(
      '--smtp <url>',
      'SMTP server for mail: smtp[s]://[USER:PASSWORD@]HOST[:PORT] (default: write mail to the log)',
    )
      .env('WOLKE_SMTP')
      .argParser(smtp),
    new Option('--mail-from <address>', 'sender address of mail').env('WOLKE_MAIL_FROM').argParser(mailAddress),
  ]
}

/** Checks these options against each other. Errors: `InvalidArgumentError`. */
export function checkMail({ smtp, mailFrom }: MailConfig): void {
  if (smtp && mailFrom === undefined) throw new InvalidArgumentError('--smtp needs --mail-from')
}
