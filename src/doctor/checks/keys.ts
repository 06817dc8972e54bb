/** Is the key of the secrets at hand, for its owner alone, and does it open the keys of all Projects? */
import { statSync } from 'node:fs'
import { counted, failure, fine, reasonOf, type Seen, unknown, warning } from '../../kernel/process/seen.ts'
import { keyStateOf } from '../../kernel/secrets/data-keys.ts'
import { countLocked } from '../../kernel/secrets/installation.ts'
import { readKeyFile } from '../../kernel/secrets/key-file.ts'
import { DatabaseAway, type Patient } from '../patient.ts'

export async function checkKeys(patient: Patient): Promise<readonly Seen[]> {
  const { keyFile, previousKeyFile } = patient
  if (keyFile === undefined) {
    const own = fine('key file', 'none: the key is in memory, and goes with the server')
    return [own, ...(await secretsSeen(patient))]
  }
  const previous = previousKeyFile === undefined ? [] : [keyFileSeen('previous key file', previousKeyFile)]
  return [keyFileSeen('key file', keyFile), ...previous, ...(await secretsSeen(patient))]
}

function keyFileSeen(name: string, path: string): Seen {
  const subject = `${name} (${path})`
  try {
    const key = readKeyFile(path)
    if (!key) return failure(subject, 'does not exist', 'put back the copy of the key that you keep elsewhere')
    const { mode, uid } = statSync(path)
    const own = process.getuid?.()
    if ((mode & 0o070) !== 0)
      return warning(subject, 'can be read by a group', `chmod go= ${path}, unless that group is meant`)
    if (own !== undefined && uid !== own)
      return warning(
        subject,
        `belongs to user ${uid}, and this is user ${own}`,
        'let it belong to the user of wolke serve',
      )
    return fine(subject, `holds the key ${key.id}, for its owner alone`)
  } catch (error) {
    return failure(subject, reasonOf(error), `see that ${path} is the key file, and for the user of wolke serve alone`)
  }
}

async function secretsSeen({ open, keys, previousKeyFile }: Patient): Promise<readonly Seen[]> {
  const subject = 'secrets'
  const ring = await keys().catch(() => undefined)
  if (!ring) return [unknown(subject, 'not looked at: no key is at hand', null)]
  try {
    const { all, locked, previous } = await countLocked((await open()).query, ring)
    if (locked > 0) {
      const seen = `${counted(locked, 'key')} of ${all} cannot be opened`
      return [failure(subject, seen, 'let --key-file, and --previous-key-file, name the keys of this database')]
    }
    if (previous > 0) {
      const seen = `${counted(previous, 'key')} of ${all} still ${previous === 1 ? 'needs' : 'need'} the previous key`
      return [warning(subject, seen, 'wolke secrets rotate ends the rotation')]
    }
    const { retired } = await keyStateOf((await open()).query)
    if (retired > 0) {
      const seen = `${counted(retired, 'key')} of Projects ${retired === 1 ? 'was' : 'were'} replaced, and not yet everywhere`
      return [warning(subject, seen, 'wolke secrets renew ends the renewal')]
    }
    const opened = fine(subject, `${counted(all, 'key')} of Projects and of the installation can be opened`)
    if (previousKeyFile === undefined) return [opened]
    return [opened, warning('rotation', 'nothing needs the previous key', 'start without --previous-key-file')]
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error
    return [unknown(subject, 'not looked at: the database cannot be asked', null)]
  }
}
