/**
 * Files on their way into a box. They come to a folder of the box, so that they take its room and go with it, and are moved to
 * their places when they are whole. Pieces are written where they belong: one that comes twice, by two processes at that,
 * writes the same bytes. After the last one nothing in the box tells of the upload any more. This process remembers the latest
 * ones, so that a piece whose answer was lost may come once more.
 */
import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
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

/** So many of the files that have come last are remembered in each process. */
const mostRemembered = 1_000

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

/** The files that came whole in several pieces, by upload, latest last. */
export class WholeUploads {
  readonly #files = new Map<string, string>()

  add(upload: string, file: string): void {
    this.#files.delete(upload)
    this.#files.set(upload, file)
    if (this.#files.size > mostRemembered) this.#files.delete(this.#files.keys().next().value!)
  }

  has(upload: string, file: string): boolean {
    return this.#files.get(upload) === file
  }
}

interface Into {
  readonly box: number
  readonly reach: Reach
  readonly whole: WholeUploads
}

/** As `BoxFiles.writePiece`. */
export async function writePiece(
  { box, reach, whole }: Into,
  path: string,
  { upload, offset, size }: FilePiece,
  source: AsyncIterable<Buffer>,
): Promise<number> {
  await checkTarget(reach, path)
  const place = placeOf(upload)
  const file = `${box} ${size} ${path}`
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
    if (there === 0 && whole.has(upload, file)) {
      await checkSame(reach, path, { offset, size }, counted())
      return end
    }
    if (offset > there) throw doesNotFollow()
    await reach.write(place, offset, counted())
  }
  if (end < size) return end
  if ((await sizeOf(reach, place)) !== size) throw inTheWay('More has come of this upload than the file has.')
  await reach.rename(place, path)
  if (offset > 0) whole.add(upload, file)
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
