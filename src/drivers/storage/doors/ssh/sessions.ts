/** Sessions of SSH are served by these, or refused with their words. */
import type { ServerChannel } from 'ssh2'
import type { Account, Accounts } from '../accounts.ts'
import type { Unfinished } from '../webdav/unfinished.ts'
import { complain, finish } from './channels.ts'
import { Refused } from './commands/programs.ts'
import { NotWords } from './commands/words.ts'
import type { SshServices } from './door.ts'
import { type InstallKey, runCommand } from './exec.ts'
import { serveSftp } from './sftp-session.ts'

export interface SessionsOptions {
  readonly accounts: Accounts
  readonly installKey: InstallKey
  readonly unfinished: Unfinished
  /** Removes what a command did not finish for an account. */
  tidy(account: Account): Promise<void>
  readonly report: (message: string, fields: object) => void
}

export class SshSessions implements SshServices {
  readonly #options: SessionsOptions

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  sftp(channel: ServerChannel, username: string): void {
    this.#serve(channel, username, (account) => serveSftp(channel, account))
  }

  exec(channel: ServerChannel, username: string, command: string): void {
    const { tidy } = this.#options
    this.#serve(channel, username, (account) =>
      runCommand(channel, account, command, this.#options).finally(() => tidy(account)),
    )
  }

  #serve(channel: ServerChannel, username: string, work: (account: Account) => Promise<void>): void {
    const account = this.#options.accounts.find(username)
    const served = account ? work(account) : Promise.reject(new Refused('there is no such account any more'))
    served.catch((error: Error) => {
      const isTheirs = error instanceof Refused || error instanceof NotWords
      if (!isTheirs) {
        this.#options.report('a session cannot be served', { box: account?.place.id, reason: error.message })
      }
      refuse(channel, isTheirs ? error.message : 'the files cannot be reached at the moment')
    })
  }
}

/** Ends a session with words for whoever sits before it. */
function refuse(channel: ServerChannel, words: string): void {
  complain(channel, `${words}\n`)
  finish(channel, 1)
}
