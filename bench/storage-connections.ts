/** Measures what open connections hold, and how soon a large folder is listed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SftpClient } from '../src/drivers/storage/doors/sftp/client.ts'
import { types } from '../src/drivers/storage/doors/sftp/packets.ts'
import type { Row } from './report.ts'
import { type Effort, inTurns } from './rounds.ts'
import { accounts, childrenOf, heldMb, type Site, type Sites } from './storage-sites.ts'

const manyEntries = 100_000
const promised = { memoryMb: 8, listMs: 100 }

export async function connections(sites: Sites, effort: Effort): Promise<Row[]> {
  return [await memoryRow(sites), await listRow(sites, effort)]
}

/** A connection with a session of SFTP. */
async function session({ port, options }: Site, user: string) {
  const child = spawn('ssh', ['-p', `${port}`, ...options, `${user}@127.0.0.1`, '-s', 'sftp'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const client = new SftpClient(child.stdout, child.stdin)
  await client.init()
  const end = async () => {
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
  }
  return { client, end }
}

async function memoryRow({ wolke, bare }: Sites): Promise<Row> {
  const count = 40
  const of = async (site: Site, user: (index: number) => string) => {
    const all = () => [site.pid, ...descendants(site.pid)]
    const before = heldMb(all())
    const sessions = await Promise.all(Array.from({ length: count }, (_, index) => session(site, user(index))))
    const held = heldMb(all()) - before
    await Promise.all(sessions.map(({ end }) => end()))
    return held / count
  }
  const mb = await of(wolke, (index) => accounts[index % 4]!)
  return {
    name: 'storage, memory of a connection',
    unit: 'MB',
    ...{ wolke: mb, bare: await of(bare, () => bare.user) },
    bar: { text: `<= ${promised.memoryMb} MB`, met: mb <= promised.memoryMb },
  }
}

const descendants = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...descendants(child)])

async function listRow({ wolke, bare }: Sites, { rounds }: Effort): Promise<Row> {
  const { uid, gid } = statSync(wolke.directory)
  for (const { directory } of [wolke, bare]) {
    mkdirSync(join(directory, 'entries'))
    for (let n = 0; n < manyEntries; n++) closeSync(openSync(join(directory, 'entries', `entry-${n}`), 'w'))
  }
  chownSync(join(wolke.directory, 'entries'), uid, gid)
  const firstAnswer = (site: Site) => async () => {
    const { client, end } = await session(site, site.user)
    const started = performance.now()
    const { body } = await client.ask(types.opendir, `${site.home}entries`)
    await client.ask(types.readdir, body.bytes())
    const ms = performance.now() - started
    await end()
    return ms
  }
  const compared = await inTurns(2 * rounds + 1, { wolke: firstAnswer(wolke), bare: firstAnswer(bare) })
  const bar = { text: `<= ${promised.listMs} ms`, met: compared.wolke <= promised.listMs }
  return { name: `storage, first answer of a list of ${manyEntries}`, unit: 'ms', ...compared, bar }
}
