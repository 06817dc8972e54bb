/** Is there room where something is written, and how old is the latest backup? */
import { statfs } from 'node:fs/promises'
import { lastBackup } from '../../kernel/audit/backups.ts'
import { counted, failure, fine, reasonOf, type Seen, unknown, warning } from '../../kernel/process/seen.ts'
import { DatabaseAway, type Patient } from '../patient.ts'

const mebibyte = 1_048_576
/** Below the first, writes are about to fail; below the others, an operator still has time. */
const leastBytes = 64 * mebibyte
const fewBytes = 512 * mebibyte
const leastInodes = 1_000

const dayMs = 86_400_000
const freshMs = 7 * dayMs

export async function checkDisk(patient: Patient): Promise<readonly Seen[]> {
  const places = await Promise.all(patient.folders.map(room))
  return [...places.flat(), ...(await backups(patient))]
}

async function room({ name, option, path }: Patient['folders'][number]): Promise<readonly Seen[]> {
  const subject = `${name} (${path})`
  const more = `make room at ${path}, or let ${option} name a place on a larger disk`
  try {
    const { bavail, blocks, bsize, ffree, files } = await statfs(path)
    const free = bavail * bsize
    const seen = `${size(free)} of ${size(blocks * bsize)} free`
    const bytes =
      free < leastBytes
        ? failure(subject, seen, more)
        : free < fewBytes
          ? warning(subject, seen, more)
          : fine(subject, seen)
    // File systems that make inodes as they need them count none.
    if (files === 0 || ffree >= leastInodes) return [bytes]
    return [bytes, failure(subject, `${counted(ffree, 'inode')} free of ${files}`, more)]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [fine(subject, 'is made when it is needed')]
    return [failure(subject, reasonOf(error), `see that the user of wolke serve may use ${path}`)]
  }
}

const size = (bytes: number) =>
  bytes < 1_024 * mebibyte ? `${Math.floor(bytes / mebibyte)} MiB` : `${Math.floor(bytes / mebibyte / 102.4) / 10} GiB`

async function backups({ file, open, clock }: Patient): Promise<readonly Seen[]> {
  const subject = 'backup of the database'
  if (file === undefined) return []
  try {
    const at = await lastBackup((await open()).query)
    if (at === undefined) return [unknown(subject, 'none was made by wolke backup', 'wolke backup FILE makes one')]
    const days = Math.floor((clock.now() - at) / dayMs)
    const seen = `the latest is ${counted(days, 'day')} old`
    const isOld = clock.now() - at > freshMs
    return [isOld ? warning(subject, seen, 'wolke backup FILE makes a new one') : fine(subject, seen)]
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error
    return [unknown(subject, 'not looked at: the database cannot be asked', null)]
  }
}
