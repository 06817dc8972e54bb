/** What sessions of SSH are served with. */
import type { ServerChannel } from 'ssh2'
import type { Accounts } from '../accounts.ts'
import type { SshServices } from './door.ts'
import { serveSftp } from './sftp-session.ts'

export interface SessionsOptions {
  readonly accounts: Accounts
  readonly report: (message: string, fields: object) => void
}

export class SshSessions implements SshServices {
  readonly #options: SessionsOptions

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  sftp(channel: ServerChannel, username: string): void {
    const account = this.#options.accounts.find(username)
    if (!account) {
      refuse(channel, 'there is no such account any more')
      return
    }
    serveSftp(channel, account).catch((error: Error) => {
      this.#options.report('a session of SFTP cannot be served', { box: account.place.id, reason: error.message })
      refuse(channel, 'the files cannot be reached at the moment')
    })
  }

  exec(channel: ServerChannel, _username: string, _command: string): void {
    refuse(channel, 'commands are not served')
  }
}

/** Ends a session with words for whoever sits before it. */
function refuse(channel: ServerChannel, words: string): void {
  channel.stderr.write(`${words}\n`)
  channel.exit(1)
  channel.end()
}
