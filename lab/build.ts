/**
 * Labs are made of two parts, built once and kept: the file system of hosts, and the image of servers. The name of
 * either has a digest of its recipe, so that a changed recipe makes another.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { follow, outputWithin } from './commands.ts'
import { release, sources } from './sources.ts'

const here = import.meta.dirname
const cache = resolve(process.env.WOLKE_LAB_CACHE ?? join(here, '../node_modules/.cache/lab'))

/** The file system of hosts, which each sees through a layer of its own. */
const host = folderOf('host', 'host/packages.sh')
/** The folder with the image of servers: `metadata.tar.xz` and `root.squashfs`. */
const image = folderOf('image', 'guest/**', 'host/make-image.sh')

/** The longest time for a part, in milliseconds: mirrors may be far away. */
export const patienceMs = 1_800_000

/** The paths of the built parts. */
export interface Parts {
  readonly host: string
  readonly image: string
}

/**
 * Builds what is missing, which takes a minute or two. Who builds the same at the same time is waited for. Errors: one that
 * has what the programs said.
 */
export async function build(): Promise<Parts> {
  if (!existsSync(host) || !existsSync(image)) await runBuilder(import.meta.filename)
  return { host, image }
}

/** Runs a program that builds parts, in namespaces of its own and while no other does. */
export async function runBuilder(program: string, ...args: readonly string[]): Promise<void> {
  mkdirSync(cache, { recursive: true })
  // Whatever ends this process ends all that builds, with its mounts.
  const builder = [...namespaces, process.execPath, program, ...args]
  const code = await follow('setpriv', ['--pdeathsig', 'KILL', 'flock', '--no-fork', join(cache, 'lock'), ...builder])
  if (code !== 0) throw new Error(`The parts of the lab could not be built: code ${code}`)
}

const namespaces = ['unshare', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child']

/** The folder of a part, by its name and the files of its recipe. */
export function folderOf(name: string, ...recipe: readonly string[]): string {
  return join(cache, `${name}-${digest(...recipe)}`)
}

function digest(...recipe: readonly string[]): string {
  const files = globSync([...recipe, 'build.ts', 'sources.ts'], { cwd: here }).sort()
  const hash = createHash('sha256').update(release)
  for (const file of files.filter((file) => statSync(join(here, file)).isFile())) {
    hash.update(`${file}\n`).update(readFileSync(join(here, file)))
  }
  return hash.digest('hex').slice(0, 12)
}

/** Makes a part that is not there. A build that was cut leaves nothing that counts as built. */
export async function part(path: string, make: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(path)) return
  const unfinished = `${path}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished)
  const started = performance.now()
  await make(unfinished)
  renameSync(unfinished, path)
  console.error(`${path} was built in ${((performance.now() - started) / 1000).toFixed()} s`)
}

async function buildHost(folder: string): Promise<void> {
  const script = join(here, 'host/packages.sh')
  await debian(folder, [
    '--include=ca-certificates',
    `--customize-hook=copy-in ${script} /root`,
    '--customize-hook=chroot "$1" sh /root/packages.sh',
  ])
}

async function buildImage(folder: string): Promise<void> {
  const packages = readFileSync(join(here, 'guest/packages'), 'utf8').trim().split('\n').join(',')
  const own = [
    '--dpkgopt=force-unsafe-io',
    `--include=${packages}`,
    `--customize-hook=sh ${join(here, 'guest/customize.sh')} "$1"`,
  ]
  const script = join(here, 'host/make-image.sh')
  await outputWithin(patienceMs, 'sh', script, folder, release, ...(await sources()), ...own)
}

/** Makes a file system of Debian's packages. */
async function debian(folder: string, options: readonly string[]): Promise<void> {
  const how = ['--mode=root', '--variant=apt', '--dpkgopt=force-unsafe-io', ...options]
  await outputWithin(patienceMs, 'mmdebstrap', ...how, release, folder, ...(await sources()))
}

/** Makes parts with a folder for what their programs leave behind. */
export async function withTemporary(make: () => Promise<unknown>): Promise<void> {
  // The next build removes what interrupted programs have left behind.
  const temporary = join(cache, 'tmp')
  rmSync(temporary, { recursive: true, force: true })
  mkdirSync(temporary)
  process.env.TMPDIR = temporary
  await make()
  rmSync(temporary, { recursive: true })
}

if (import.meta.main) await withTemporary(() => Promise.all([part(host, buildHost), part(image, buildImage)]))
