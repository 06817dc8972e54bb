/** Files of Storage Boxes are read and written on request, at once: no action stands behind it. */
import { createHash } from 'node:crypto'
import { DriverError, type Drivers } from '../../../kernel/actions/define.ts'
import { inTime } from '../../../kernel/actions/in-time.ts'
import { authorNoted, notePart, noteSubjects } from '../../../kernel/audit/audited.ts'
import type { Download } from '../../../kernel/contract/bytes.ts'
import type { Calls } from '../../../kernel/contract/contract.ts'
import { ApiError, invalidInput, limitExceeded } from '../../../kernel/errors.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import type { ListedOnce } from '../../../kernel/resource/listed-once.ts'
import { pageOf } from '../../../kernel/resource/listing.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { pathIn } from '../domain.ts'
import type { BoxFiles, FileInfo, FilePlace, NamedFile } from '../driver.ts'
import { snapshotIn } from '../snapshots/store.ts'
import { boxes } from '../store.ts'
import type { fileEndpoints } from './contract.ts'
import { nameIn } from './domain.ts'

type Call = Calls<typeof fileEndpoints>

export interface FileShop {
  readonly platform: Pick<Platform, 'db'>
  readonly drivers: Drivers
  /** Directories, which are listed as a whole. */
  readonly listings: ListedOnce<NamedFile>
}

/** Nobody waits longer for what takes no time. Bytes may take as long as they come. */
const callTimeoutMs = 20_000

/** Says where a box is reached. Errors: `not_found`. */
export async function doors({ platform: { db }, drivers }: FileShop, { scope, params }: Call['getDoors']) {
  await boxes.get(db.query, scope, params.id)
  return { doors: doorsToWire(drivers) }
}

/** Which doors this process has, and how files are kept. */
export function doorsToWire({ storageBoxes: { doors: known, files } }: Drivers) {
  const { ssh, webdav } = known?.opened ?? { ssh: null, webdav: null }
  const confined = known?.isConfined ?? null
  return { ssh, webdav, files: files !== undefined, store: files?.kind ?? null, confined }
}

/** A directory by name. Errors: those that the contract declares. */
export async function list(shop: FileShop, { scope, params, query }: Call['listFiles']) {
  const { files, place, ask } = await open(shop, scope, params.id, query)
  const asked = { owner: place.box, name: JSON.stringify([place.snapshot, place.path]), page: query.page }
  const all = await ask(
    inTime(
      shop.listings.list(asked, () => files.list(place)),
      callTimeoutMs,
    ),
  )
  const { rows, pagination } = pageOf(all ?? [], query)
  const within = place.path === '' ? '' : `${place.path}/`
  return { files: rows.map((one) => fileToWire(within + one.name, one)), meta: { pagination } }
}

/** A file to be sent. Errors: those that the contract declares. */
export async function download(shop: FileShop, { scope, params, query }: Call['downloadFile']): Promise<Download> {
  const opened = await open(shop, scope, params.id, query)
  const { files, place } = opened
  const info = await look(opened)
  if (info.kind !== 'file') throw new ApiError('conflict', 'only a file can be downloaded')
  const { size, modified } = info
  return { name: nameIn(place.path), size, modified, open: (start, end) => files.read(place, start, end) }
}

/** Puts a file in its place. Errors: those that the contract declares. */
export async function upload(shop: FileShop, { scope, params, query, bytes }: Call['uploadFile']) {
  if (query.path === '') throw invalidInput([{ field: 'path', message: 'must name a file' }])
  const opened = await open(shop, scope, params.id, query)
  const { files, place, change } = opened
  await change(() => files.write(place, bytes()))
  return { file: fileToWire(place.path, await look(opened)) }
}

/** Writes a piece of a file; the audit log has the last one, for all of them. Errors: those that the contract declares. */
export async function uploadPiece(shop: FileShop, { scope, params, query, bytes }: Call['uploadPiece']) {
  const { path, offset, size } = query
  const upload = ownUpload(query.upload)
  if (path === '') throw invalidInput([{ field: 'path', message: 'must name a file' }])
  if (offset > size) throw invalidInput([{ field: 'offset', message: 'must not be behind the end of the file' }])
  const opened = await open(shop, scope, params.id, { path })
  const { files, place, change } = opened
  const received = await change(() => files.writePiece(place, { upload, offset, size }, bytes()))
  if (received === size) return { received, file: fileToWire(path, await look(opened)) }
  notePart()
  return { received, file: null }
}

/** The name by which an upload is kept. Each caller has names of his own, so whoever ends an upload has sent all of it. */
function ownUpload(name: string): string {
  const { kind, id } = authorNoted() ?? {}
  return `${name}-${createHash('sha256').update(`${kind} ${id}`).digest('hex').slice(0, 16)}`
}

/** Removes the pieces of a file that is not whole. Errors: those that the contract declares. */
export async function removeUpload(shop: FileShop, { scope, params, query }: Call['removeUpload']): Promise<void> {
  const { files, place, ask } = await open(shop, scope, params.id, { path: '' })
  await ask(inTime(files.dropPieces(place.box, ownUpload(query.upload)), callTimeoutMs))
}

/** Makes a directory. Errors: those that the contract declares. */
export async function createFolder(shop: FileShop, { scope, params, body }: Call['createFolder']) {
  const opened = await open(shop, scope, params.id, { path: checked('path', body.path) })
  const { files, place, change } = opened
  await change(() => inTime(files.makeFolder(place), callTimeoutMs))
  return { file: fileToWire(place.path, await look(opened)) }
}

/** Gives a file or directory another path. Errors: those that the contract declares. */
export async function rename(shop: FileShop, { scope, params, body }: Call['renameFile']) {
  const [from, to] = [checked('from', body.from), checked('to', body.to)]
  const opened = await open(shop, scope, params.id, { path: from })
  const { files, place, change } = opened
  await change(() => inTime(files.rename(place, to), callTimeoutMs), to)
  return { file: fileToWire(to, await look({ ...opened, place: { ...place, path: to } })) }
}

/** Deletes a file, or a directory with all that is in it. Errors: those that the contract declares. */
export async function remove(shop: FileShop, { scope, params, query }: Call['removeFile']): Promise<void> {
  if (query.path === '') throw invalidInput([{ field: 'path', message: 'must name a file or directory' }])
  const { files, place, change } = await open(shop, scope, params.id, query)
  // A directory may have millions of files in it.
  await change(() => files.remove(place))
}

/** Errors: `invalid_input`. */
function checked(field: string, text: string): string {
  const path = pathIn(text)
  if (path === undefined || path === '') {
    throw invalidInput([{ field, message: 'must name something within the Storage Box' }])
  }
  return path
}

interface FileQuery {
  readonly path: string
  readonly snapshot?: number | undefined
}

interface FilesAt {
  readonly files: BoxFiles
  readonly place: FilePlace
  /** Waits for what the driver answers. Errors: the refusals that its own mean. */
  ask<T>(answer: Promise<T>): Promise<T>
  /** Does the same for a change at the place, and at another path if there is one; the audit log has both. */
  change<T>(make: () => Promise<T>, otherPath?: string): Promise<T>
}

/** Errors: `not_found`; `locked` while the box is still to be made; `unsupported_error` where boxes have no files. */
async function open(
  { platform: { db }, drivers, listings }: FileShop,
  scope: ProjectScope,
  id: number,
  { path, snapshot }: FileQuery,
): Promise<FilesAt> {
  const box = await boxes.get(db.query, scope, id)
  const found = snapshot === undefined ? undefined : await snapshotIn(db.query, scope, id, snapshot)
  if (box.status === 'initializing') throw new ApiError('locked', 'storage_box is locked: it is still to be made')
  const { files } = drivers.storageBoxes
  if (!files) throw new ApiError('unsupported_error', 'Storage Boxes of this cloud have no files')
  const place: FilePlace = { box: id, path, snapshot: found?.name }
  const ask = <T>(answer: Promise<T>) =>
    answer.catch((error: unknown) => {
      throw error instanceof DriverError ? refusalFor(error, box.capacity) : error
    })
  const change = async <T>(make: () => Promise<T>, ...otherPath: readonly string[]) => {
    noteSubjects([path, ...otherPath])
    try {
      return await ask(make())
    } finally {
      listings.forget(id)
    }
  }
  return { files, place, ask, change }
}

async function look({ files, place, ask }: FilesAt): Promise<FileInfo> {
  const info = await ask(inTime(files.look(place), callTimeoutMs))
  return info!
}

/** The refusal that an error of a driver means, in a box with so many bytes at most. */
function refusalFor(cause: DriverError, most: number): ApiError {
  const { code, message } = cause
  if (code === 'not_found') return new ApiError('not_found', 'there is no such file or directory', { cause })
  if (code === 'conflict') return new ApiError('conflict', message, { cause })
  if (code === 'no_room')
    return limitExceeded(
      'storage_box_size',
      `this Storage Box cannot have more than ${most} bytes in files and snapshots`,
    )
  return new ApiError('unavailable', 'the files of the Storage Box cannot be reached now', { cause })
}

function fileToWire(path: string, { kind, size, modified }: FileInfo) {
  return { name: nameIn(path), path, kind, size, modified: timestamp(modified) }
}
