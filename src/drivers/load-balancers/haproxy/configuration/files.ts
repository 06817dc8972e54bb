/** The private directory of an installation: what is kept of each balancer, and where. */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { makePrivate } from '../../../private-folder.ts'

/** What was last handed over of a balancer, as far as it is needed without the API's database. */
export interface BalancerRecord {
  readonly generation: number
  readonly publicAddresses: readonly string[]
  /** Its address in a private network. */
  readonly privateAddress: string | null
  /** For how long the state of targets stays true after a crash, in seconds. */
  readonly freshSeconds: number
}

/** Paths of Unix sockets have at most 107 bytes, and HAProxy appends its process id while it starts. */
const longestPath = 70

/** Makes the directory usable for this user alone, and answers its real path. Errors: one that the operator understands. */
export function openDirectory(given: string): string {
  makePrivate(given)
  // A path that is relative, or leads over links, is longer for HAProxy than the one that was given.
  const directory = realpathSync(given)
  if (Buffer.byteLength(directory) > longestPath) {
    throw new Error(`The directory of load balancers ${directory} has a path of more than ${longestPath} bytes`)
  }
  return directory
}

/** The random name of the installation, the same as long as the directory is there. */
export function installationOf(directory: string): string {
  const path = join(directory, 'installation')
  const known = readIfThere(path)
  if (known !== undefined) return known
  const draft = `${path}.${randomUUID()}`
  writeDurably(draft, randomUUID())
  try {
    linkSync(draft, path)
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(path, 'utf8')
}

/** The folder of a balancer. */
export const folderOf = (directory: string, id: number) => join(directory, String(id))

/** The balancers that there are, and those whose removal was cut off. */
export const listBalancers = (directory: string) => idsIn(directory)

/** The names in a folder that are ids. */
function idsIn(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** What was last handed over of a balancer; undefined when there is none. */
export function readRecord(directory: string, id: number): BalancerRecord | undefined {
  const record = readJson<BalancerRecord>(join(folderOf(directory, id), 'balancer.json'))
  return record && record.generation > removedGeneration(directory, id) ? record : undefined
}

export function writeRecord(directory: string, id: number, record: BalancerRecord): void {
  replaceFile(join(folderOf(directory, id), 'balancer.json'), JSON.stringify(record))
}

/** How long a late call may come after a removal, in milliseconds. */
const longestLateMs = 600_000
const removedPath = (directory: string, id: number) => join(directory, 'removed', String(id))

/**
 * The generation with which a balancer was removed; -1 for one that never was, and for one that was so long ago that what
 * comes under its id is another one.
 */
export function removedGeneration(directory: string, id: number): number {
  const path = removedPath(directory, id)
  const generation = readIfThere(path)
  if (generation === undefined) return -1
  // Another process may have forgotten it just now.
  const writtenMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (existsSync(folderOf(directory, id)) || Date.now() - writtenMs < longestLateMs) return Number(generation)
  forgetRemoved(directory, id)
  return -1
}

/** Forgets all removals that were so long ago; nobody may ever ask for their ids again. */
export function forgetOldRemovals(directory: string): void {
  const folder = join(directory, 'removed')
  if (existsSync(folder)) for (const id of idsIn(folder)) removedGeneration(directory, id)
}

export function forgetRemoved(directory: string, id: number): void {
  rmSync(removedPath(directory, id), { force: true })
}

export function writeRemoved(directory: string, id: number, generation: number): void {
  mkdirSync(join(directory, 'removed'), { recursive: true, mode: 0o700 })
  replaceFile(removedPath(directory, id), String(generation))
}

/** The content of a file of this driver; undefined when there is none. */
export function readJson<T>(path: string): T | undefined {
  const text = readIfThere(path)
  return text === undefined ? undefined : (JSON.parse(text) as T)
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Replaces a file as a whole: readers and a crash of the machine find the old content or the new one. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}`
  writeDurably(draft, text)
  renameSync(draft, path)
}

/** Replaces a file as a whole that may be lost when the machine crashes. */
export function replaceNote(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, path)
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
