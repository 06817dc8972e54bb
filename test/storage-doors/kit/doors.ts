/** Doors over plain folders, and the programs of Debian that come through them. */
import { execFile, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { BoxPlace } from '../../../src/drivers/storage/doors/accounts.ts'
import { programAt, whyImpossible } from '../../../src/drivers/storage/doors/jail/possible.ts'
import type { Ledger } from '../../../src/drivers/storage/doors/ledger.ts'
import { Doors } from '../../../src/drivers/storage/doors/open.ts'
import type { Tls } from '../../../src/drivers/storage/doors/webdav/door.ts'
import type { AccountState } from '../../../src/families/storage-boxes/driver.ts'
import { hashPassword } from '../../../src/kernel/secrets/password-hash.ts'

export const password = '1-secret-PASSW0RD-=)'
const passwordHash = await hashPassword(password)

/** Says why a test that needs these programs cannot run here; with CI everything has to be there. */
export function missing(...programs: string[]): string | false {
  return lacking(programs, false)
}

/** The same for doors of a user who cannot confine programs. */
export function missingUnconfined(...programs: string[]): string | false {
  return lacking(programs, true)
}

function lacking(programs: readonly string[], isUnconfined: boolean): string | false {
  const absent = programs.filter((name) => programAt(name) === undefined)
  const why = whyImpossible(isUnconfined) ?? (absent.length > 0 ? `${absent.join(', ')} is not installed` : undefined)
  return process.env.CI ? false : (why ?? false)
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A box in a folder that goes with the test. */
export interface TestBox {
  readonly place: BoxPlace
  readonly files: string
  readonly snapshots: string
  /** Beside the box: what nobody may reach. */
  readonly outside: string
}

export class DoorsFixture {
  readonly doors: Doors
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'wolke-doors-')))
  readonly reports: [string, object][] = []
  readonly installed: [string, string][] = []
  sshPort = 0
  webdavPort = 0
  #generation = 0
  #boxes = 0

  constructor() {
    chmodSync(this.folder, 0o755)
    this.doors = new Doors({
      directory: join(this.folder, 'keys'),
      installKey: async ({ state: { username } }, key) => void this.installed.push([username, key]),
      report: (message, fields) => this.reports.push([message, fields]),
    })
    mkdirSync(join(this.folder, 'clients'))
    mkdirSync(join(this.folder, 'secrets'), { mode: 0o755 })
    writeFileSync(join(this.folder, 'secrets', 'secret'), 'secret of the machine')
  }

  async open(tls?: Tls): Promise<void> {
    this.sshPort = await this.doors.openSsh({ host: '127.0.0.1', port: 0 })
    this.webdavPort = await this.doors.openWebdav({ host: '127.0.0.1', port: 0, ...(tls ? { tls } : {}) })
    await this.makeKey()
  }

  /** Makes the key that the clients have. */
  async makeKey(): Promise<void> {
    const key = join(this.folder, 'clients', 'key')
    await this.run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  }

  /** The text of the public key that the clients have. */
  async publicKey(): Promise<string> {
    return (await this.run('ssh-keygen', ['-y', '-f', join(this.folder, 'clients', 'key')])).stdout.trim()
  }

  addBox(ledger?: Ledger): TestBox {
    const id = ++this.#boxes
    const uid = 71_000 + id
    const root = join(this.folder, `box-${id}`)
    const [files, snapshots] = [join(root, 'files'), join(root, 'snapshots')]
    mkdirSync(files, { recursive: true, mode: 0o755 })
    mkdirSync(snapshots)
    chownSync(files, uid, uid)
    const place: BoxPlace = { id, directory: files, snapshots, uid, gid: uid, ledger }
    return { place, files, snapshots, outside: join(this.folder, 'secrets') }
  }

  set(box: TestBox, ...states: AccountState[]): void {
    this.doors.setAccounts(box.place, ++this.#generation, states)
  }

  /** Returns the words that `ssh`, `scp` and `sftp` are told before all else. */
  options(withKey = true): string[] {
    const known = join(this.folder, 'clients', 'known')
    const settings = ['StrictHostKeyChecking=no', `UserKnownHostsFile=${known}`, 'LogLevel=ERROR', 'ConnectTimeout=20']
    const identity = withKey ? ['-i', join(this.folder, 'clients', 'key'), '-o', 'BatchMode=yes'] : []
    return ['-F', 'none', ...settings.flatMap((setting) => ['-o', setting]), ...identity]
  }

  /** The same as one command for programs that start `ssh` themselves. */
  get shell(): string {
    return ['ssh', '-p', `${this.sshPort}`, ...this.options()].join(' ')
  }

  /** Runs a program to its end, which is after so many milliseconds at the latest. */
  run(
    program: string,
    args: readonly string[],
    input?: string | Buffer,
    env: object = {},
    timeout = 30_000,
  ): Promise<Ran> {
    const home = join(this.folder, 'clients')
    return new Promise((resolve) => {
      const child = execFile(
        program,
        args,
        {
          timeout,
          maxBuffer: 1 << 28,
          cwd: home,
          env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: home, LC_ALL: 'C.UTF-8', ...env },
        },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
          resolve({ code, stdout, stderr })
        },
      )
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(input ?? '')
    })
  }

  ssh(username: string, command: string, input?: string | Buffer): Promise<Ran> {
    return this.run('ssh', ['-p', `${this.sshPort}`, ...this.options(), `${username}@127.0.0.1`, command], input)
  }

  sftp(username: string, batch: string): Promise<Ran> {
    const args = ['-P', `${this.sshPort}`, ...this.options(), '-b', '-', `${username}@127.0.0.1`]
    return this.run('sftp', args, batch)
  }

  /** A client that stays; it ends with the test. */
  start(program: string, args: readonly string[]) {
    return spawn(program, args, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }, stdio: ['pipe', 'pipe', 'pipe'] })
  }

  /** A client in the folder of clients, which is the leader of a group of all that it starts. */
  startGroup(program: string, args: readonly string[]) {
    const home = join(this.folder, 'clients')
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: home, LC_ALL: 'C.UTF-8' }
    return spawn(program, args, { cwd: home, env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  }

  close(): void {
    this.doors.close()
    if (existsSync(this.folder)) rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Opens doors for a test; WebDAV in plain text where there is no certificate. */
export async function openDoors(t: Pick<TestContext, 'after'>, tls?: Tls): Promise<DoorsFixture> {
  const fixture = new DoorsFixture()
  t.after(() => fixture.close())
  await fixture.open(tls)
  return fixture
}

export async function accountFor(fixture: DoorsFixture, change: Partial<AccountState> = {}): Promise<AccountState> {
  return {
    username: 'u1',
    home: '',
    passwordHash,
    keys: [await fixture.publicKey()],
    isReadonly: false,
    isReachableExternally: false,
    hasSsh: true,
    hasWebdav: true,
    seesSnapshots: false,
    ...change,
  }
}
