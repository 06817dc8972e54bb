/** The doors of all boxes in one process: who may come in, and what serves him. */
import { join } from 'node:path'
import type { AccountState } from '../../../families/storage-boxes/driver.ts'
import { Accounts, type BoxPlace } from './accounts.ts'
import { Passwords } from './passwords.ts'
import { removeSnapshotFolders } from './sftp/server.ts'
import { SshDoor } from './ssh/door.ts'
import type { InstallKey } from './ssh/exec.ts'
import { hostKeys } from './ssh/host-keys.ts'
import { SshSessions } from './ssh/sessions.ts'
import { type Tls, WebdavDoor } from './webdav/door.ts'
import { Unfinished } from './webdav/unfinished.ts'

export interface DoorsOptions {
  /** A folder of root alone, where the host keys are, properties of files, and what is unfinished. */
  readonly directory: string
  /** Notes a public key that somebody installs for his account. */
  readonly installKey: InstallKey
  readonly report: (message: string, fields: object) => void
}

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

/** WebDAV is served here; without a certificate in plain text, which carries passwords. */
export interface WebdavPlace extends HostAndPort {
  readonly tls?: Tls
}

export class Doors {
  readonly #passwords = new Passwords()
  readonly #accounts = new Accounts((username) => this.#passwords.forget(username))
  readonly #ssh: SshDoor
  readonly #webdav: WebdavDoor
  readonly #unfinished: Unfinished
  readonly #report: DoorsOptions['report']

  /** Errors: of the file system. */
  constructor({ directory, installKey, report }: DoorsOptions) {
    this.#unfinished = new Unfinished(join(directory, 'unfinished'))
    const unfinished = this.#unfinished
    const common = { accounts: this.#accounts, passwords: this.#passwords, installKey, report, unfinished }
    this.#webdav = new WebdavDoor({ ...common, directory })
    const services = new SshSessions({ ...common, tidy: (account) => this.#webdav.tidyAfter(account) })
    this.#ssh = new SshDoor({ ...common, hostKeys: hostKeys(directory), services })
    this.#report = report
  }

  /** Opens the SSH door; resolves with its port. Errors: of the socket. */
  openSsh({ host, port }: HostAndPort): Promise<number> {
    return this.#ssh.listen(port, host)
  }

  /** Opens the WebDAV door; resolves with its port. Errors: of the socket, and of TLS. */
  openWebdav({ host, port, tls }: WebdavPlace): Promise<number> {
    return this.#webdav.listen(port, host, tls)
  }

  /** Makes the accounts of a box be as described; what is open and not allowed any more ends. */
  setAccounts(place: BoxPlace, generation: number, states: readonly AccountState[]): void {
    if (!this.#accounts.set(place, generation, states)) return
    this.#tidy(place, states).catch((error: Error) => {
      this.#report('a box cannot be tidied', { box: place.id, reason: error.message })
    })
  }

  /** Removes what was left in a box that nobody needs any more. */
  async #tidy(place: BoxPlace, states: readonly AccountState[]): Promise<void> {
    for (const { username } of states) {
      const account = this.#accounts.find(username)
      if (account && !account.state.isReadonly) await this.#webdav.tidy(account)
    }
    if (!states.some(({ seesSnapshots }) => seesSnapshots)) await removeSnapshotFolders(place)
  }

  /** Removes a box with its accounts. Returns whether it did: who says so after newer accounts were set is too late. */
  removeBox(id: number, generation: number): boolean {
    const isRemoved = this.#accounts.remove(id, generation)
    if (isRemoved) this.#webdav.forget(id)
    return isRemoved
  }

  /** Ends all that is open with a box: its files are about to be replaced. */
  endSessions(id: number): void {
    for (const username of this.#accounts.endSessions(id)) this.#webdav.renew(username)
  }

  close(): void {
    this.#ssh.close()
    this.#webdav.close()
    this.#unfinished.close()
  }
}
