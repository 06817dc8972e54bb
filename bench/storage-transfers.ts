/** Measures files that go up and come down by SFTP and rsync, beside OpenSSH with its `internal-sftp`. */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { median, type Row } from './report.ts'
import { type Compared, type Effort, inTurns } from './rounds.ts'
import { cpuOf, type Site, type Sites } from './storage-sites.ts'

const largeMb = 128
const smallFiles = 5_000
const smallBytes = 4_096

/** The parts of the throughput of OpenSSH that are promised, and how many times its processor time. */
const promised = { large: 0.6, small: 0.8, cpu: 2 }

function makeFiles(local: string): void {
  mkdirSync(join(local, 'many'), { recursive: true })
  mkdirSync(join(local, 'large'))
  const piece = randomBytes(1 << 20)
  const large = openSync(join(local, 'large/file'), 'w')
  for (let mb = 0; mb < largeMb; mb++) writeFileSync(large, piece)
  closeSync(large)
  for (let n = 0; n < smallFiles; n++) writeFileSync(join(local, `many/file-${n}`), piece.subarray(0, smallBytes))
}

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

/**
 * Keeps processors from falling asleep, by programs that run when nothing else wants to; returns what ends them. Small files
 * are a conversation in which each program sleeps until the other one has answered. A processor of a virtual machine that
 * has nothing to do takes longer to wake than a server takes to answer, and how long depends on the machine beneath it.
 */
function keepAwake(): () => void {
  const loop = ['--idle', '0', 'sh', '-c', 'while :; do :; done']
  const running = Array.from({ length: availableParallelism() }, () => spawn('chrt', loop, { stdio: 'ignore' }))
  return () => {
    for (const child of running) child.kill('SIGKILL')
  }
}

type Program = 'sftp' | 'rsync'
type Folder = 'large' | 'many'
type Way = 'up' | 'down'

/** Brings a folder to a site or fetches it; returns how long it took, in seconds. What was brought stays. */
async function carry(site: Site, local: string, program: Program, way: Way, folder: Folder): Promise<number> {
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

/**
 * One large file, or many small ones, up and down by a program; the processor time that a GB takes by SFTP; and the small ones
 * by SFTP with processors that stay awake as well, which tells what the servers take from what the machine does.
 */
export const transfers =
  (program: Program, folder: Folder) =>
  async (sites: Sites, effort: Effort): Promise<Row[]> => {
    makeFiles(sites.local)
    const rows = await measured(sites, effort, program, folder)
    if (program !== 'sftp' || folder !== 'many') return rows
    const rest = keepAwake()
    try {
      const awake = await measured(sites, effort, program, folder)
      return [...rows, ...awake.map((row) => ({ ...row, name: `${row.name}, awake` }))]
    } finally {
      rest()
    }
  }

async function measured(
  { wolke, bare, local }: Sites,
  { rounds }: Effort,
  program: Program,
  folder: Folder,
): Promise<Row[]> {
  const rows: Row[] = []
  const cpu = { wolke: [] as number[], bare: [] as number[] }
  const amount = folder === 'large' ? largeMb : smallFiles
  for (const way of ['up', 'down'] as const) {
    const measure = (site: Site, times: number[]) => async () => {
      const before = await cpuOf(site)
      const seconds = await carry(site, local, program, way, folder)
      times.push(((await cpuOf(site)) - before) / (largeMb / 1024))
      return amount / seconds
    }
    const compared = await inTurns(rounds, { wolke: measure(wolke, cpu.wolke), bare: measure(bare, cpu.bare) })
    const what = folder === 'large' ? 'one file' : `${smallFiles} of 4 kB`
    rows.push(throughput(`${program}, ${what} ${way}`, folder, compared))
  }
  return program === 'sftp' && folder === 'large' ? [...rows, cpuRow(cpu)] : rows
}

function throughput(name: string, folder: Folder, compared: Compared): Row {
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
