/** A file server where programs cannot be confined, with the rights of this process (`--storage-doors-unconfined`). */
import { spawn } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { PathsWithin } from '../sftp/paths.ts'
import { type Jail, JailError, type Prisoner } from './confine.ts'
import { systemPath } from './possible.ts'
import { endingOf, startedFor } from './starting.ts'

/** What it need not do, as nobody may make links or ask for the users of the machine and their homes. */
const denied = 'symlink,expand-path,home-directory,users-groups-by-id'

/**
 * Starts a file server, of which only what is in the home is reached by the paths of its client. Errors: `JailError` where the
 * home is missing or leads out of its box, those of starting programs.
 */
export async function startUnconfined([program, ...args]: readonly string[], jail: Jail): Promise<Prisoner> {
  const { directory, home } = jail
  const asked = home === '' ? directory : `${directory}/${home}`
  const [top, found] = await Promise.all([realpath(directory), realpath(asked).catch(() => undefined)])
  if (found === undefined) throw new JailError(`the home ${asked} is missing`)
  if (found !== (home === '' ? top : `${top}/${home}`)) throw new JailError(`the home ${asked} leads elsewhere`)
  const child = await startedFor(directory, () =>
    spawn(program!, [...args, '-P', denied, '-d', found], {
      cwd: found,
      env: { PATH: systemPath, LC_ALL: 'C.UTF-8', HOME: '/' },
      stdio: ['pipe', 'pipe', 'ignore'],
    }),
  )
  const ended = endingOf(child)
  child.stdin.on('error', () => undefined)
  const { stdin, stdout } = new PathsWithin(found, child)
  return { child, stdin, stdout, ended, lastWords: () => '' }
}
