/**
 * Whatever of a server is killed at any moment, the server itself, its doors or a file server: acknowledged files are whole,
 * snapshots are there whole or not at all, and what a box takes is known soon after it.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { program, type Served, token } from '../../program/kit/program.ts'
import { isLong } from '../../run/long.ts'
import { makeGround, skipsImages } from '../../storage/store/kit/grounds.ts'
import { DoorsFixture, missing, password } from '../kit/doors.ts'
import { arrived, childrenOf, commandOf, isRunning } from '../kit/process.ts'
import { Acknowledged, checkWhole, writeBySftp, writeByWebdav } from '../kit/writers.ts'

const { folder, serve } = program('deaths')
const skip = skipsImages || missing('ssh', 'ssh-keygen')
const cycles = isLong ? 200 : 6
const longestMs = 500
const victims = ['server', 'doors', 'file server'] as const
/** So many snapshots there are when another one is made, which is far fewer than a box may have. */
const mostSnapshots = 3

/** Resolves when something was done that may have to be tried again. */
async function arrivedAfter(attempt: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await attempt()); ) assert.ok(Date.now() < end, 'it does not come about')
}

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
type Json = any

/** A server with one box, whatever process it is just now. */
class Cloud {
  readonly fixture = new DoorsFixture()
  readonly #directory: string
  readonly #name: string
  #served: Served | undefined
  webdavPort = 0
  id = 0
  username = ''

  constructor(name: string, directory: string) {
    this.#name = name
    this.#directory = directory
  }

  get pid(): number {
    return this.#served!.child.pid!
  }

  get files(): string {
    return join(this.#directory, 'boxes', `${this.id}`, 'files')
  }

  get snapshots(): string {
    return join(this.#directory, 'boxes', `${this.id}`, 'snapshots')
  }

  async start(): Promise<void> {
    const ready = join(folder, `at-${this.#name}`)
    const doors = ['--storage-ssh', '127.0.0.1:0', '--storage-webdav', '127.0.0.1:0', '--ready-file', ready]
    this.#served = await serve(`sqlite:${join(folder, `${this.#name}.db`)}`, ...doors, '--storage', this.#directory)
    const { storage_ssh: ssh, storage_webdav: webdav } = JSON.parse(readFileSync(ready, 'utf8'))
    this.fixture.sshPort = Number(ssh.split(':')[1])
    this.webdavPort = Number(webdav.split(':')[1])
  }

  async makeBox(): Promise<void> {
    await this.fixture.makeKey()
    const access = { ssh_enabled: true, webdav_enabled: true, reachable_externally: true }
    const { storage_box: box, action } = await this.ask('POST', '/storage_boxes', {
      ...{ name: 'files', storage_box_type: 'bx11', location: 'fsn1', password, access_settings: access },
      ssh_keys: [await this.fixture.publicKey()],
    })
    await this.ended(action.id)
    const { storage_box: made } = await this.ask('GET', `/storage_boxes/${box.id}`)
    this.id = made.id
    this.username = made.username
  }

  /** Sends a request. Errors: when it is refused, with its status, or when nobody answers. */
  async ask(method: string, path: string, body?: unknown): Promise<Json> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${token}`, ...type }
    const reply = await fetch(this.#served!.baseUrl + path, { method, headers, ...sent })
    const text = await reply.text()
    if (!reply.ok) throw Object.assign(new Error(`${method} ${path}: ${reply.status} ${text}`), { code: reply.status })
    return JSON.parse(text)
  }

  async ended(action: number): Promise<void> {
    for (;;) {
      const { action: now } = await this.ask('GET', `/actions/${action}`)
      if (now.status === 'success') return
      assert.equal(now.status, 'running', JSON.stringify(now.error))
      await delay(20)
    }
  }

  async snapshotNames(): Promise<string[]> {
    const { snapshots } = await this.ask('GET', `/storage_boxes/${this.id}/snapshots`)
    return snapshots.map(({ name }: Json) => name)
  }

  /** Waits until nothing is under way any more. */
  async rests(): Promise<void> {
    const { actions } = await this.ask('GET', `/storage_boxes/${this.id}/actions?status=running&per_page=50`)
    for (const { id } of actions) await this.ended(id)
  }

  /** Makes a snapshot; returns its name. */
  async freeze(): Promise<string> {
    const { snapshot, action } = await this.ask('POST', `/storage_boxes/${this.id}/snapshots`, {})
    await this.ended(action.id)
    return (await this.ask('GET', `/storage_boxes/${this.id}/snapshots/${snapshot.id}`)).snapshot.name
  }

  /** Removes the oldest snapshots: whoever was killed before he did so has left one more than there should be. */
  async removeOldest(): Promise<void> {
    const { snapshots } = await this.ask('GET', `/storage_boxes/${this.id}/snapshots?sort=id`)
    for (const { id } of snapshots.slice(0, Math.max(0, snapshots.length - mostSnapshots))) {
      const { action } = await this.ask('DELETE', `/storage_boxes/${this.id}/snapshots/${id}`)
      await this.ended(action.id)
    }
  }

  /** Removes what was written by SFTP, so that boxes stay small. */
  async clear(): Promise<void> {
    await arrivedAfter(async () => (await this.fixture.sftp(this.username, 'rm sftp-*\n')).code === 0)
  }

  get doorsPid(): number | undefined {
    return childrenOf(this.pid).find((child) => commandOf(child).includes('storage-doors'))
  }

  kill(): Promise<void> {
    return this.#served!.kill()
  }

  async close(): Promise<void> {
    await this.#served?.stop()
    this.fixture.close()
  }
}

/** What has to be in snapshots, by their names: the files of a cycle, and how many of them. */
type Frozen = Map<string, { readonly files: Acknowledged; readonly count: number }>

/** Makes and removes snapshots until nobody answers or it is enough. Notes what has to be in those that are made. */
async function freezeAgainAndAgain(
  cloud: Cloud,
  files: Acknowledged,
  frozen: Frozen,
  isEnough: () => boolean,
): Promise<void> {
  try {
    while (!isEnough()) {
      const count = files.size
      frozen.set(await cloud.freeze(), { files, count })
      await cloud.removeOldest()
    }
  } catch (error) {
    // The server was killed, or what a killed one began is still under way.
    assert.ok(error instanceof TypeError || (error as { code?: number }).code === 423, `${error}`)
  }
}

/** Kills one, which is there by the time; those that depend on it end as well. Returns what has to end. */
async function killOne(cloud: Cloud, victim: (typeof victims)[number], random: number): Promise<number[]> {
  const doors = cloud.doorsPid!
  const servers = childrenOf(doors)
  if (victim === 'server') {
    await cloud.kill()
    return [doors, ...servers]
  }
  if (victim === 'doors') {
    process.kill(doors, 'SIGKILL')
    return [doors, ...servers]
  }
  const chosen = servers[Math.floor(random * servers.length)]
  if (chosen === undefined) return []
  process.kill(chosen, 'SIGKILL')
  return [chosen]
}

async function check(cloud: Cloud, all: readonly Acknowledged[], frozen: Frozen): Promise<void> {
  for (const acknowledged of all) acknowledged.check(cloud.files)
  await cloud.rests()
  const names = readdirSync(cloud.snapshots)
  assert.deepEqual(names.sort(), (await cloud.snapshotNames()).sort())
  for (const name of names) {
    checkWhole(join(cloud.snapshots, name))
    const { files, count } = frozen.get(name) ?? {}
    files?.check(join(cloud.snapshots, name), count)
  }
}

/** What the API says that a box takes is what is there: the next action asks what it is. */
async function checkUsage(cloud: Cloud, slack: number): Promise<void> {
  await cloud.removeOldest()
  await cloud.freeze()
  const { storage_box: box } = await cloud.ask('GET', `/storage_boxes/${cloud.id}`)
  const blocks = Number.parseInt(execFileSync('du', ['-s', '-B1', cloud.files], { encoding: 'utf8' }), 10)
  const said = box.stats.size_data
  assert.ok(Math.abs(said - blocks) <= slack, `${said} is said of ${blocks}`)
}

async function killAgainAndAgain(t: TestContext, kind: 'plain' | 'btrfs'): Promise<void> {
  let cloud: Cloud | undefined
  // It ends before the file system that it is on.
  t.after(() => cloud?.close())
  const ground = await makeGround(t, kind, 4_096)
  mkdirSync(join(ground, 'store'))
  cloud = new Cloud(kind, join(ground, 'store'))
  await killIn(t, cloud, kind)
}

async function killIn(t: TestContext, cloud: Cloud, kind: 'plain' | 'btrfs'): Promise<void> {
  await cloud.start()
  await cloud.makeBox()
  const byWebdav = new Acknowledged()
  const frozen: Frozen = new Map()
  let kept = 0
  for (let cycle = 0; cycle < cycles; cycle++) {
    const bySftp = new Acknowledged()
    let isEnough = false
    const again = async (work: (round: number) => Promise<void>) => {
      for (let round = 0; !isEnough; round++) await work(round)
    }
    const is = () => isEnough
    const prefix = (round: number) => `sftp-${cycle}-${round}`
    const clients = Promise.all([
      again((round) => writeBySftp(cloud.fixture, cloud.username, prefix(round), bySftp, is)),
      again(() => writeByWebdav(cloud.webdavPort, cloud.username, cycle, byWebdav, is)),
      freezeAgainAndAgain(cloud, bySftp, frozen, is),
    ])
    // Whoever fails is heard of once all have ended.
    clients.catch(() => undefined)
    const victim = victims[cycle % victims.length]!
    let ending: number[]
    try {
      await arrived(() => bySftp.size > 0 && byWebdav.size > 0)
      await delay(Math.random() * longestMs)
      ending = await killOne(cloud, victim, Math.random())
    } finally {
      isEnough = true
    }
    await clients
    await arrived(() => ending.every((pid) => !isRunning(pid)))
    if (victim === 'server') await cloud.start()
    await check(cloud, [bySftp, byWebdav], frozen)
    kept += bySftp.size
    await checkUsage(cloud, kind === 'plain' ? 0 : 1_000_000)
    await cloud.clear()
  }
  t.diagnostic(`${kept} files were acknowledged by SFTP, ${frozen.size} snapshots made`)
}

for (const kind of ['plain', 'btrfs'] as const) {
  test(`${cycles} deaths of any process lose nothing that was acknowledged (${kind})`, { skip }, (t) =>
    killAgainAndAgain(t, kind),
  )
}
