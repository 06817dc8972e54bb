/** Storage with doors on a file system of its own, as a server has it. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { openStorage, type Storage } from '../../../../src/drivers/storage/storage.ts'
import type { BoxState } from '../../../../src/families/storage-boxes/driver.ts'
import { type Logged, makeGround, megabyte } from '../../../storage/store/kit/grounds.ts'
import { accountFor, DoorsFixture, password } from '../../kit/doors.ts'
import { arrived } from '../../kit/process.ts'

type Ground = Parameters<typeof makeGround>[1]

export interface Site {
  readonly fixture: DoorsFixture
  readonly warnings: Logged[]
  /** The directory that the file system is mounted on. */
  readonly ground: string
  readonly storage: Storage
  /** Where the files of a box are. */
  filesOf(id: number): string
  apply(id: number, bytes?: number, change?: object): Promise<void>
  /** Sends a request to the door of WebDAV, as the account of a box. */
  ask(id: number, method: string, path: string, body?: Buffer, headers?: object): Promise<Response>
  /** Has the machine lose all that is not on disk, and begins again with what is there. */
  losePower(): Promise<void>
}

/** Opens storage for a test; box N belongs to account uN. */
export async function siteOn(t: TestContext, kind: Ground, megabytes?: number): Promise<Site> {
  const fixture = new DoorsFixture()
  let storage: Storage | undefined
  // It ends before the file system that it is on.
  t.after(async () => {
    await storage?.close()
    fixture.close()
  })
  await fixture.makeKey()
  const ground = realpathSync(await makeGround(t, kind, megabytes))
  const warnings: Logged[] = []
  let generation = 0
  storage = await open()
  async function open(): Promise<Storage> {
    const door = { host: '127.0.0.1', port: 0 }
    const log = {
      info: () => undefined,
      warn: (fields: object, message: string) => void warnings.push({ fields, message }),
    }
    const directory = join(ground, 'store')
    const opened = await openStorage({ directory, doorsDirectory: join(ground, 'doors'), ssh: door, webdav: door, log })
    fixture.sshPort = Number(opened.doors.ssh!.split(':')[1])
    fixture.webdavPort = Number(opened.doors.webdav!.split(':')[1])
    return opened
  }
  return {
    fixture,
    warnings,
    ground,
    get storage() {
      return storage!
    },
    filesOf: (id) => join(ground, 'store/boxes', `${id}`, 'files'),
    apply: async (id, bytes = 10_000 * megabyte, change = {}) => {
      const account = await accountFor(fixture, { username: `u${id}`, ...change })
      const state: BoxState = { id, generation: ++generation, bytes, accounts: [account] }
      await storage!.driver.apply(state)
    },
    ask: (id, method, path, body, headers = {}) => {
      const authorization = `Basic ${Buffer.from(`u${id}:${password}`).toString('base64')}`
      const url = `http://127.0.0.1:${fixture.webdavPort}${path}`
      const sent = body === undefined ? {} : { body: new Uint8Array(body) }
      return fetch(url, { method, headers: { authorization, ...headers }, ...sent })
    },
    losePower: async () => {
      const dying = storage!
      storage = undefined
      execFileSync('xfs_io', ['-x', '-c', 'shutdown', ground])
      // It has nothing any more that it could write to.
      await dying.close().catch(() => undefined)
      await mountAgain(ground)
      storage = await open()
    },
  }
}

async function mountAgain(ground: string): Promise<void> {
  const image = join(dirname(ground), 'disk')
  const users = () => execFileSync('losetup', ['--associated', image], { encoding: 'utf8' }).trim()
  assert.notEqual(users(), '')
  // File servers whose requests failed have their roots there until they have ended.
  await arrived(() => spawnSync('umount', [ground]).status === 0)
  // Programs that began meanwhile have had a copy of all mounts for a moment.
  await arrived(() => users() === '')
  execFileSync('mount', ['-o', 'loop', image, ground])
  assert.ok(readdirSync(ground).includes('store'))
  mkdirSync(join(ground, 'doors'), { recursive: true })
}
