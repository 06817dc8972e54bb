/**
 * Files on their way into a box. They come to a folder of the box, so that they take its room and go with it, and are moved to
 * their places when they are whole. Pieces are written where they belong: one that comes twice, by two processes at that,
 * writes the same bytes. After the last one nothing in the files of the box tells of the upload any more. A note beside them does
 * for a day, so that a piece whose answer was lost may come once more, whichever process it comes to.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { FilePiece } from '../../../families/storage-boxes/driver.ts'
import { runningClock } from '../../../kernel/process/clock.ts'
import { uploadsFolder } from '../store/places.ts'
import { inTheWay, isCode, type Reach } from './reach.ts'

const folder = `/${uploadsFolder}`
const placeOf = (upload: string) => `${folder}/${upload}`

/** So long nobody goes on with an upload before it is removed, in milliseconds. */
const patienceMs = 86_400_000
/** The time of the file system, which no lab changes. */
const clock = runningClock()

/** So often the folder is made again that others, whose last upload has ended, have removed. */
const mostTries = 5

/** Whether a path leads to what has not come as a whole. */
export const isUploads = (path: string) => path === folder || path.startsWith(`${folder}/`)

/** Puts a file in its place when all of it is on disk. */
export async function writeWhole(reach: Reach, path: string, source: AsyncIterable<Buffer>): Promise<void> {
  const upload = randomBytes(16).toString('hex')
  await checkTarget(reach, path)
  try {
    await begin(reach, placeOf(upload), source)
    await reach.rename(placeOf(upload), path)
    await removeEmpty(reach)
  } catch (error) {
    await dropPieces(reach, upload).catch(() => undefined)
    throw error
  }
}

/** Notes of the files that came whole in several pieces, in a folder of their box: one for each upload, for a day. */
export class WholeUploads {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async add(upload: string, file: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeFile(join(this.#folder, upload), file, { mode: 0o600 })
  }

  async has(upload: string, file: string): Promise<boolean> {
    return (await unlessAway(readFile(join(this.#folder, upload), 'utf8'))) === file
  }

  /** Forgets those that are older. */
  async clear(): Promise<void> {
    for (const upload of (await unlessAway(readdir(this.#folder))) ?? []) {
      const note = join(this.#folder, upload)
      const found = await unlessAway(stat(note))
      if (found && found.mtimeMs < clock.now() - patienceMs) await rm(note, { force: true })
    }
  }
}

async function unlessAway<T>(looked: Promise<T>): Promise<T | undefined> {
  try {
    return await looked
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

interface Into {
  readonly reach: Reach
  readonly whole: WholeUploads
}

/** As `BoxFiles.writePiece`. */
export async function writePiece(
  { reach, whole }: Into,
  path: string,
  { upload, offset, size }: FilePiece,
  source: AsyncIterable<Buffer>,
): Promise<number> {
  await checkTarget(reach, path)
  const place = placeOf(upload)
  const file = `${size} ${path}`
  let end = offset
  const counted = async function* () {
    for await (const bytes of source) {
      end += bytes.length
      if (end > size) throw inTheWay('The piece is longer than what is left of the file.')
      yield bytes
    }
  }
  if (offset === 0) {
    // More than all of the file has come: of another one. Otherwise a late repetition would take away what came since.
    if ((await sizeOf(reach, place)) > size) await unlessMissing(reach.remove(place))
    await begin(reach, place, counted())
  } else {
    const there = await sizeOf(reach, place)
    if (there === 0 && (await whole.has(upload, file))) {
      await checkSame(reach, path, { offset, size }, counted())
      return end
    }
    if (offset > there) throw doesNotFollow()
    await reach.write(place, offset, counted())
  }
  if (end < size) return end
  if ((await sizeOf(reach, place)) !== size) throw inTheWay('More has come of this upload than the file has.')
  await reach.rename(place, path)
  if (offset > 0) await whole.add(upload, file)
  await removeEmpty(reach)
  return end
}

const doesNotFollow = () => inTheWay('The piece does not follow what has come of this upload.')

/** Errors: `conflict` where a file is not there any more as it came, as far as a piece of it tells. */
async function checkSame(
  reach: Reach,
  path: string,
  { offset, size }: Pick<FilePiece, 'offset' | 'size'>,
  piece: AsyncIterable<Buffer>,
): Promise<void> {
  if ((await sizeOf(reach, path)) !== size) throw doesNotFollow()
  const there = reach.read(path, offset, size)
  let next: Buffer = Buffer.alloc(0)
  try {
    for await (const bytes of piece) {
      for (let at = 0; at < bytes.length; ) {
        if (next.length === 0) next = (await there.next()).value ?? next
        const part = next.subarray(0, bytes.length - at)
        if (part.length === 0 || !part.equals(bytes.subarray(at, at + part.length))) throw doesNotFollow()
        next = next.subarray(part.length)
        at += part.length
      }
    }
  } finally {
    await there.return(undefined)
  }
}

/** As `BoxFiles.dropPieces`. */
export async function dropPieces(reach: Reach, upload: string): Promise<void> {
  await unlessMissing(reach.remove(placeOf(upload)))
  await removeEmpty(reach)
}

/** As `BoxFiles.clearPieces`. */
export async function clearPieces(reach: Reach): Promise<void> {
  const all = (await unlessMissing(reach.list(folder))) ?? []
  const late = all.filter(({ modified }) => modified < clock.now() - patienceMs)
  for (const { name } of late) await unlessMissing(reach.remove(placeOf(name)))
  await removeEmpty(reach)
}

async function checkTarget(reach: Reach, path: string): Promise<void> {
  if ((await reach.look(posix.dirname(path))).kind === 'file') throw inTheWay('It is no directory.')
  const there = await unlessMissing(reach.look(path))
  if (there && there.kind !== 'file') throw inTheWay('There is something else than a file at this path.')
}

/** Writes the beginning of a file; nothing was read of `source` where its folder is missing. */
async function begin(reach: Reach, place: string, source: AsyncIterable<Buffer>): Promise<void> {
  for (let tries = 1; ; tries++) {
    if (!(await unlessMissing(reach.look(folder)))) await makeFolder(reach)
    try {
      return await reach.write(place, 0, source)
    } catch (error) {
      if (tries === mostTries || !isCode(error, 'not_found')) throw error
    }
  }
}

/** Somebody else may make it at the same time. */
async function makeFolder(reach: Reach): Promise<void> {
  try {
    await reach.makeFolder(folder)
  } catch (error) {
    if ((await unlessMissing(reach.look(folder)))?.kind !== 'directory') throw error
  }
}

/** Leaves the folder where something else is in it. */
async function removeEmpty(reach: Reach): Promise<void> {
  try {
    await reach.removeFolder(folder)
  } catch (error) {
    if (!isCode(error, 'not_found') && !isCode(error, 'conflict')) throw error
  }
}

const sizeOf = async (reach: Reach, place: string) => (await unlessMissing(reach.look(place)))?.size ?? 0

/** Undefined where there is nothing. */
export async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isCode(error, 'not_found')) return undefined
    throw error
  }
}
