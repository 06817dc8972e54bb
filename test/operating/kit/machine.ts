/**
 * Machines on which the pages for operators are followed. Each has the programs of this one, in a file system over that of
 * this one and a network of its own, so that nothing of what is done there is left here.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, type TestContext } from 'node:test'
import { makePackage } from '../../packages/kit/machine.ts'
import { build } from '../../run/built.ts'

const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'wolke-operating-'))
after(() => rmSync(folder, { recursive: true }))

export interface Machine {
  /**
   * Runs a script as root in the one shell of the machine, which keeps its folder and variables; resolves to what it prints.
   * Throws with that when a command of it fails.
   */
  run(script: string): Promise<string>
}

const env = {
  PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LC_ALL: 'C.UTF-8',
  DEBIAN_FRONTEND: 'noninteractive',
}

/** Mounts the file systems of machines, each over the one before and the first over that of this one, and becomes the shell of the last. */
const begin = `
below=/
for path; do
  mount -t overlay overlay -o "lowerdir=$below,upperdir=$path/upper,workdir=$path/work" "$path/root"
  below=$path/root
done
cd "$below"
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
# There is no network to get packages from, and apt takes long to read which there are; so does man-db with all manual pages.
mount -t tmpfs tmpfs var/lib/apt/lists
if [ -e usr/bin/mandb ]; then mount --bind bin/true usr/bin/mandb; fi
mount --bind "$path/share" mnt
ip link set lo up
exec chroot . sh -c 'cd /root && exec sh -eu'`

/** Files of this project that a machine has, by where it has them. */
type Files = Readonly<Record<string, string>>

/** What every machine has in place of systemd, which containers have not either. */
const standIns: Files = {
  'usr/local/bin/systemctl': 'test/packages/kit/systemctl.sh',
  'usr/local/bin/journalctl': 'test/operating/kit/journalctl.sh',
  'usr/local/lib/sockets.py': 'test/operating/kit/sockets.py',
}

/** The version that is installed. */
const first = '0.1.0-1'

let machines = 0

/** Makes a place for a machine. */
function place(files: Files): string {
  const path = join(folder, `${++machines}`)
  for (const name of ['upper', 'work', 'root', 'share']) mkdirSync(join(path, name), { recursive: true })
  for (const [at, file] of Object.entries(files)) {
    mkdirSync(dirname(join(path, 'upper', at)), { recursive: true })
    cpSync(join(root, file), join(path, 'upper', at), { recursive: true })
  }
  return path
}

/** Starts a machine at the last of some places; the others are what it is made from. */
function startAt(...places: readonly string[]): Machine & { end(): Promise<void> } {
  const path = places.at(-1)!
  const own = ['--net', '--mount', '--pid', '--fork', '--kill-child']
  const child = spawn('unshare', [...own, 'sh', '-euc', begin, 'sh', ...places], { env })
  const gone = once(child, 'close')
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let count = 0
  return {
    async run(script) {
      const number = ++count
      const file = (ending: string) => join(path, `share/${number}.${ending}`)
      writeFileSync(file('sh'), script)
      child.stdin.write(`. /mnt/${number}.sh >/mnt/${number}.out 2>&1 </dev/null\necho\n`)
      const { done } = await lines.next()
      const printed = () => (existsSync(file('out')) ? readFileSync(file('out'), 'utf8') : '')
      if (done) {
        await gone
        throw new Error(`this failed:\n${script}\n${printed()}${said}`)
      }
      return printed()
    },
    async end() {
      child.stdin.end()
      await gone
    },
  }
}

const packages = new Map<string, Promise<string>>()

/** The package of a version, made once. */
function packageOf(version: string): Promise<string> {
  const made = packages.get(version) ?? build().then(() => makePackage(folder, version))
  packages.set(version, made)
  return made
}

/** Puts the package of a version into the folder of root of a machine that is to be started. */
async function givePackage(path: string, version: string): Promise<void> {
  const file = await packageOf(version)
  mkdirSync(join(path, 'upper/root'), { recursive: true })
  linkSync(file, join(path, 'upper/root', basename(file)))
}

/** Starts a machine that has the package and has not installed it, and ends it with the test. */
export async function bareMachine(t: TestContext): Promise<Machine> {
  const path = place(standIns)
  await givePackage(path, first)
  const one = startAt(path)
  t.after(() => one.end())
  return one
}

let installed: Promise<string> | undefined

/** Installs the package once; resolves to the place. */
function installOnce(): Promise<string> {
  installed ??= (async () => {
    const path = place(standIns)
    await givePackage(path, first)
    const one = startAt(path)
    await one.run('dpkg -i ./wolke_0.1.0-1_*.deb')
    await one.end()
    return path
  })()
  return installed
}

interface Given {
  readonly files?: Files
  /** The version of a further package that it has. */
  readonly newer?: string
}

/** Starts a machine on which the package is installed and its service runs, and ends it with the test. Only one runs at a time. */
export async function machine(t: TestContext, { files = {}, newer }: Given = {}): Promise<Machine> {
  const path = place(files)
  if (newer !== undefined) await givePackage(path, newer)
  const one = startAt(await installOnce(), path)
  t.after(() => one.end())
  await one.run('systemctl start wolke')
  return one
}
