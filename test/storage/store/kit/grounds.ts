/** File systems to keep stores on: folders, and images that are mounted while a test runs, however it ends. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openStore } from '../../../../src/drivers/storage/store/open.ts'
import type { Store, StoreKind, StoreOptions } from '../../../../src/drivers/storage/store/store.ts'

const makers = {
  btrfs: ['mkfs.btrfs', '--quiet'],
  reflink: ['mkfs.xfs', '-q', '-m', 'reflink=1'],
  ext4: ['mkfs.ext4', '-q', '-F'],
} as const

const isProgram = (name: string) =>
  ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/bin', '/bin'].some((folder) => {
    try {
      accessSync(join(folder, name))
      return true
    } catch {
      return false
    }
  })

/** Says why tests with images are skipped here; false where they run. They run in CI in any case. */
export const skipsImages: string | false = process.env.CI
  ? false
  : process.getuid?.() !== 0
    ? 'only root mounts images'
    : !['mkfs.btrfs', 'mkfs.xfs', 'mkfs.ext4', 'btrfs'].every(isProgram)
      ? 'btrfs-progs, xfsprogs or e2fsprogs are not installed'
      : false

/** The kinds of stores that this machine has file systems for, and why not. */
export const kinds: readonly { kind: StoreKind; skip: string | false }[] = [
  { kind: 'plain', skip: false },
  { kind: 'reflink', skip: skipsImages },
  { kind: 'btrfs', skip: skipsImages },
]

/** Waits for the end of its input, which comes with the end of the test, whatever that is. */
const mounting = `
trap '' TERM INT HUP
mount -o loop "$1" "$2" && echo mounted && cat >/dev/null
umount -l "$2"
rm -rf "$3"
`

/** A directory, on a file system of its own unless it is for copies without anything shared. */
export async function makeGround(t: TestContext, kind: StoreKind | 'ext4', megabytes = 512): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-store-'))
  const directory = join(folder, 'at')
  mkdirSync(directory)
  if (kind === 'plain') {
    t.after(async () => {
      await closeAll(directory)
      rmSync(folder, { recursive: true })
    })
    return directory
  }
  const image = join(folder, 'disk')
  writeFileSync(image, '')
  truncateSync(image, megabytes * 1_024 * 1_024)
  const [program, ...args] = makers[kind]
  execFileSync(program, [...args, image])
  const holder = spawn('sh', ['-c', mounting, 'sh', image, directory, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(async () => {
    await closeAll(directory)
    await end(holder)
  })
  const [first] = await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')])
  if (String(first) !== 'mounted\n') throw new Error(`an image of ${kind} cannot be mounted`)
  return directory
}

const opened = new Map<string, Store[]>()

async function closeAll(directory: string): Promise<void> {
  for (const store of opened.get(directory) ?? []) await store.close()
  opened.delete(directory)
}

async function end(holder: ChildProcess): Promise<void> {
  const ended = holder.exitCode === null ? once(holder, 'exit') : undefined
  holder.stdin!.end()
  await ended
}

/** A line that a store has logged. */
export interface Logged {
  readonly message: string
  readonly fields: object
}

/** Opens a store on a ground, with which it is closed: the one called `store`, or another. */
export async function openAt(
  directory: string,
  options: Pick<Partial<StoreOptions>, 'kind' | 'pause' | 'vacate' | 'isOpen'> & {
    warnings?: Logged[]
    name?: string
  } = {},
): Promise<Store> {
  const warn = (fields: object, message: string) => {
    if (options.warnings) options.warnings.push({ message, fields })
    else console.error(message, fields)
  }
  const store = await openStore({
    directory: join(directory, options.name ?? 'store'),
    ...(options.pause && { pause: options.pause }),
    ...(options.vacate && { vacate: options.vacate }),
    ...(options.isOpen && { isOpen: options.isOpen }),
    ...(options.kind && { kind: options.kind }),
    log: { info: () => undefined, warn },
  })
  opened.set(directory, [...(opened.get(directory) ?? []), store])
  return store
}

export const megabyte = 1_000_000
export const box = (id: number, more: Partial<Parameters<Store['apply']>[0]> = {}) => ({
  id,
  generation: 1,
  bytes: 200 * megabyte,
  accounts: [],
  ...more,
})
