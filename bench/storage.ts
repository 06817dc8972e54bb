/**
 * Measures the doors of Storage Boxes beside OpenSSH with the same clients and files: one large file, many small ones,
 * processor time, memory, a large folder, and logins while others guess passwords. Needs root, `sshd` and `rsync`. Beside that
 * it measures what plans of snapshots cost.
 */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, closeSync, mkdirSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { programAt, whyImpossible } from '../src/drivers/storage/doors/jail/possible.ts'
import { SftpClient } from '../src/drivers/storage/doors/sftp/client.ts'
import { types } from '../src/drivers/storage/doors/sftp/packets.ts'
import type { Workshop } from './processes.ts'
import { median, type Row } from './report.ts'
import { type Compared, type Effort, inTurns } from './rounds.ts'
import { sshLogins } from './storage-logins.ts'
import { plans } from './storage-plans.ts'
import { accounts, childrenOf, cpuOf, doorsSite, heldMb, opensshSite, password, type Site } from './storage-sites.ts'

const largeMb = 128
const smallFiles = 5_000
const smallBytes = 4_096
const manyEntries = 100_000

/** The parts of the throughput of OpenSSH that are promised. */
const promised = { large: 0.6, small: 0.8, cpu: 2, memoryMb: 8, listMs: 100, login: 2 }

type Way = 'up' | 'down'

interface Sites {
  readonly wolke: Site & { readonly webdavPort: number }
  readonly bare: Site
  /** The clients are here. */
  readonly local: string
}

export async function storage(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const lacking = ['sshd', 'sftp', 'rsync', 'ssh-keygen'].filter((name) => programAt(name) === undefined)
  const why = whyImpossible() ?? (lacking.length > 0 ? `${lacking.join(', ')} is not installed` : undefined)
  if (why !== undefined) {
    console.error(`the doors of Storage Boxes are not measured: ${why}`)
    return plans(workshop)
  }
  const local = workshop.file('local')
  makeFiles(local)
  const sites: Sites = { wolke: await doorsSite(workshop), bare: await opensshSite(workshop), local }
  return [
    ...(await plans(workshop)),
    ...(await transferRows(sites, effort)),
    await memoryRow(sites),
    await listRow(sites, effort),
    ...(await sshLogins(sites.wolke, sites.bare, effort)),
    await loginRow(sites, effort),
  ]
}

function makeFiles(local: string): void {
  mkdirSync(join(local, 'many'), { recursive: true })
  mkdirSync(join(local, 'large'))
  const piece = randomBytes(1 << 20)
  const large = openSync(join(local, 'large/file'), 'w')
  for (let mb = 0; mb < largeMb; mb++) writeFileSync(large, piece)
  closeSync(large)
  for (let n = 0; n < smallFiles; n++) writeFileSync(join(local, `many/file-${n}`), piece.subarray(0, smallBytes))
}

// ---- Files up and down ---------------------------------------------------------------------------------------------

/** Runs a program and returns how long it took, in seconds. Errors: when it fails. */
function timed(program: string, args: readonly string[], cwd: string, input = ''): Promise<number> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { cwd, maxBuffer: 1 << 26 }, (error) => {
      if (error) reject(error)
      else resolve((performance.now() - started) / 1000)
    })
    child.stdin?.end(input)
  })
}

type Program = 'sftp' | 'rsync'

/** Brings a folder to a site or fetches it; returns how long it took, in seconds. What was brought stays. */
async function carry(site: Site, local: string, program: Program, way: Way, folder: string): Promise<number> {
  const cwd = way === 'up' ? local : join(local, 'back')
  rmSync(join(way === 'up' ? site.directory : cwd, folder), { recursive: true, force: true })
  mkdirSync(cwd, { recursive: true })
  const at = `${site.user}@127.0.0.1`
  if (program === 'sftp') {
    const batch = `cd ${site.home}\n${way === 'up' ? 'put' : 'get'} -r ${folder}\n`
    return timed('sftp', ['-q', '-P', `${site.port}`, ...site.options, '-b', '-', at], cwd, batch)
  }
  const shell = ['ssh', '-p', `${site.port}`, ...site.options].join(' ')
  const remote = `${at}:${site.home}${way === 'up' ? '' : folder}`
  return timed('rsync', ['-a', '-e', shell, ...(way === 'up' ? [folder, remote] : [remote, '.'])], cwd)
}

async function transferRows({ wolke, bare, local }: Sites, { rounds }: Effort): Promise<Row[]> {
  const rows: Row[] = []
  const cpu = { wolke: [] as number[], bare: [] as number[] }
  for (const program of ['sftp', 'rsync'] as const) {
    for (const folder of ['large', 'many']) {
      for (const way of ['up', 'down'] as const) {
        const amount = folder === 'large' ? largeMb : smallFiles
        const isCounted = program === 'sftp' && folder === 'large'
        const measure = (site: Site, times: number[]) => async () => {
          const before = await cpuOf(site)
          const seconds = await carry(site, local, program, way, folder)
          if (isCounted) times.push(((await cpuOf(site)) - before) / (largeMb / 1024))
          return amount / seconds
        }
        const compared = await inTurns(rounds, { wolke: measure(wolke, cpu.wolke), bare: measure(bare, cpu.bare) })
        rows.push(
          throughput(
            `${program}, ${folder === 'large' ? 'one file' : `${smallFiles} of 4 kB`} ${way}`,
            folder,
            compared,
          ),
        )
      }
    }
  }
  return [...rows, cpuRow(cpu)]
}

function throughput(name: string, folder: string, compared: Compared): Row {
  const [unit, least] =
    folder === 'large' ? (['MB/s', promised.large] as const) : (['files/s', promised.small] as const)
  return { name: `storage, ${name}`, unit, ...compared, bar: { text: `>= ${least}`, met: compared.ratio >= least } }
}

function cpuRow(cpu: { wolke: readonly number[]; bare: readonly number[] }): Row {
  const ratio = median(cpu.wolke.map((seconds, round) => seconds / cpu.bare[round]!))
  return {
    name: 'storage, processor time of a GB by sftp',
    unit: 's',
    ...{ wolke: median(cpu.wolke), bare: median(cpu.bare), ratio },
    bar: { text: `<= ${promised.cpu}`, met: ratio <= promised.cpu },
  }
}

// ---- Memory, folders, logins ---------------------------------------------------------------------------------------

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

/** Logs in by WebDAV with a password that is not known yet, from an address; returns whether it was right. */
function login(port: number, localAddress: string, username: string, word: string, agent?: Agent): Promise<boolean> {
  const auth = `${username}:${word}`
  return new Promise((resolve, reject) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      localAddress,
      method: 'OPTIONS',
      auth,
      ...(agent ? { agent } : {}),
    })
    asked.once('error', reject).once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200))
    })
    asked.end()
  })
}

const guessesASecond = 100

async function loginRow({ wolke }: Sites, { rounds }: Effort): Promise<Row> {
  // A password that was right once costs less, so each account comes in once.
  const fresh = accounts.slice(4, 4 + 20 * rounds)
  const logins = async () => {
    const times: number[] = []
    for (const username of fresh.splice(0, 10 * rounds)) {
      const started = performance.now()
      if (!(await login(wolke.webdavPort, '127.0.0.1', username, password))) throw new Error('a login was refused')
      times.push(performance.now() - started)
    }
    return median(times)
  }
  const quiet = await logins()
  const flood = guess(wolke.webdavPort)
  await delay(2_000)
  const [before, started] = [flood.answered(), performance.now()]
  const beside = await logins()
  const rate = (flood.answered() - before) / ((performance.now() - started) / 1_000)
  flood.end()
  const ratio = beside / quiet
  const isMet = ratio <= promised.login && rate >= guessesASecond * 0.9
  return {
    name: 'storage, login while others guess',
    unit: 'ms',
    ...{ wolke: beside, bare: quiet, ratio, bar: { text: `<= ${promised.login}`, met: isMet } },
    note: `bare: nobody guesses; ${rate.toFixed(0)} wrong passwords a second are answered`,
  }
}

/** Has others send a hundred wrong passwords a second, whatever is answered. */
function guess(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  let answered = 0
  let sent = 0
  const started = performance.now()
  const send = () => {
    const user = accounts[++sent % accounts.length]!
    login(port, '127.0.1.1', user, `wrong ${sent}`, agent).then(
      () => answered++,
      () => undefined,
    )
  }
  // Turns that come late send what was due meanwhile.
  const timer = setInterval(() => {
    while (sent < ((performance.now() - started) * guessesASecond) / 1_000) send()
  }, 1_000 / guessesASecond)
  return {
    answered: () => answered,
    end() {
      clearInterval(timer)
      agent.destroy()
    },
  }
}
