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
const host = join(cache, `host-${digest('host/packages.sh')}`)
/** The folder with the image of servers: `metadata.tar.xz` and `root.squashfs`. */
const image = join(cache, `image-${digest('guest/**', 'host/make-image.sh')}`)

/** The longest time for a part, in milliseconds: mirrors may be far away. */
const patienceMs = 1_800_000

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
  if (!existsSync(host) || !existsSync(image)) {
    mkdirSync(cache, { recursive: true })
    // Whatever ends this process ends all that builds, with its mounts.
    const builder = [...namespaces, process.execPath, import.meta.filename]
    const code = await follow('setpriv', ['--pdeathsig', 'KILL', 'flock', '--no-fork', join(cache, 'lock'), ...builder])
    if (code !== 0) throw new Error(`The parts of the lab could not be built: code ${code}`)
  }
  return { host, image }
}

const namespaces = ['unshare', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child']

function digest(...recipe: readonly string[]): string {
  const files = globSync([...recipe, 'build.ts', 'sources.ts'], { cwd: here }).sort()
  const hash = createHash('sha256').update(release)
  for (const file of files.filter((file) => statSync(join(here, file)).isFile())) {
    hash.update(`${file}\n`).update(readFileSync(join(here, file)))
  }
  return hash.digest('hex').slice(0, 12)
}

/** A build that was cut leaves nothing that counts as built. */
async function part(path: string, make: (folder: string) => Promise<void>): Promise<void> {
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

/** Builds what is missing, in namespaces of its own and while nobody else does. */
async function buildParts(): Promise<void> {
  // The next build removes what interrupted programs have left behind.
  const temporary = join(cache, 'tmp')
  rmSync(temporary, { recursive: true, force: true })
  mkdirSync(temporary)
  process.env.TMPDIR = temporary
  await Promise.all([part(host, buildHost), part(image, buildImage)])
  rmSync(temporary, { recursive: true })
}

if (import.meta.main) await buildParts()
