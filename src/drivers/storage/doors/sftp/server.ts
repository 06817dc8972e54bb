/** The file server of OpenSSH, with a home as its root. */
import { lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { confine, type Jail, JailError, type Prisoner, startProgram } from '../jail/confine.ts'
import { fileServer } from '../jail/possible.ts'
import { startUnconfined } from '../jail/unconfined.ts'
import { SftpClient, SftpError } from './client.ts'
import { statusCodes, types } from './packets.ts'

/** Nobody but the user of the box writes to what is in it, unless its writer says otherwise afterwards. */
const umask = '0022'

/** Snapshots are seen here. */
const snapshotFolder = '.zfs/snapshot'

/**
 * Starts a file server in its jail. It has said its version already, and says it again to whoever asks. Errors: `JailError`,
 * `SftpLost`, those of starting programs.
 */
export const startFileServer = (jail: Jail): Promise<Prisoner> => withPlaces(jail, start)

/**
 * Has a program start in a jail whose home is made where it is missing, and the folder in which snapshots are seen as well.
 * Where that cannot be, as something else has its name or the box is full, they are not seen: their owner has to come in to
 * change it. Errors: those of `begin` and `startFileServer`.
 */
export async function withPlaces<Begun>(jail: Jail, begin: (jail: Jail) => Promise<Begun>): Promise<Begun> {
  const ready = jail.snapshots === undefined ? jail : await withSnapshotFolder(jail)
  try {
    return await begin(ready)
  } catch (error) {
    if (!(error instanceof JailError) || jail.home === '') throw error
    await makeWithin(jail, jail.home)
    return begin(ready)
  }
}

async function withSnapshotFolder(jail: Jail): Promise<Jail> {
  if (await hasSnapshotFolder(jail)) return jail
  try {
    await makeWithin(jail, snapshotFolder)
  } catch (error) {
    if (!(error instanceof SftpError)) throw error
  }
  return (await hasSnapshotFolder(jail)) ? jail : { ...jail, snapshots: undefined }
}

/** Whoever puts a link there meanwhile is not served: what a program sees is checked when it has its root. */
async function hasSnapshotFolder({ directory }: Jail): Promise<boolean> {
  const folders = [dirname(snapshotFolder), snapshotFolder].map((path) => lstat(`${directory}/${path}`))
  const found = await Promise.all(folders.map((one) => one.catch(() => undefined)))
  return found.every((one) => one?.isDirectory())
}

async function start(jail: Jail): Promise<Prisoner> {
  const program = fileServer()
  if (program === undefined) throw new JailError('sftp-server of OpenSSH is not installed')
  const command = [program, '-e', '-l', 'QUIET', '-u', umask, ...(jail.isReadonly ? ['-R'] : [])]
  const prisoner = await (jail.isUnconfined ? startUnconfined : startProgram)(command, jail)
  const { child, stdin, stdout } = prisoner
  const client = new SftpClient(stdout, stdin)
  try {
    await client.init()
    if (!jail.isUnconfined) await confine(prisoner, jail)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  client.release(stdout)
  return prisoner
}

/** Makes a directory of a box with those above it, as its owner and within it. Errors: `SftpError`, those of `start`. */
async function makeWithin(jail: Jail, path: string): Promise<void> {
  const { stdin, stdout } = await start({ ...jail, home: '', isReadonly: false, snapshots: undefined })
  try {
    await makeFolders(new SftpClient(stdout, stdin), path)
  } finally {
    stdin.end()
  }
}

/**
 * Removes the folders in which snapshots were seen from a box where they are not seen any more, unless something else is in
 * them. Errors: those of `startFileServer`.
 */
export async function removeSnapshotFolders({
  directory,
  uid,
  gid,
  isUnconfined,
}: Pick<Jail, 'directory' | 'uid' | 'gid' | 'isUnconfined'>): Promise<void> {
  // Most boxes have none. Whatever is there by the time is removed from within, where no link leads out.
  const isThere = await lstat(`${directory}/${snapshotFolder}`).catch(() => undefined)
  if (!isThere) return
  const top = { directory, uid, gid, isUnconfined, home: '', isReadonly: false, snapshots: undefined }
  const { stdin, stdout } = await start(top)
  try {
    const client = new SftpClient(stdout, stdin)
    for (const folder of [snapshotFolder, dirname(snapshotFolder)]) await client.tell(types.rmdir, `/${folder}`)
  } catch (error) {
    if (!(error instanceof SftpError)) throw error
  } finally {
    stdin.end()
  }
}

async function makeFolders(client: SftpClient, path: string): Promise<void> {
  const parts = path.split('/')
  for (const depth of parts.keys()) {
    const folder = `/${parts.slice(0, depth + 1).join('/')}`
    try {
      await client.tell(types.mkdir, folder, { mode: 0o755 })
    } catch (error) {
      // Most are there already; what is missing for another reason is missed by whoever needs it.
      if (!(error instanceof SftpError) || error.code !== statusCodes.failure) throw error
    }
  }
}
