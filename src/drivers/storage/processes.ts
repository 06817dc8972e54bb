/**
 * The processes that work on the files of a box, whoever started them: each box has a user of its own, and nothing else runs as
 * that user. So they are found without any list of them, also those that another server over the same directory serves.
 */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { DriverError } from '../../kernel/actions/define.ts'
import { signal } from '../commands.ts'

interface Process {
  readonly pid: number
  /** The kernel's letter for its state: `T` is a stopped one. */
  readonly state: string
}

/** A process in the middle of a call stops when that returns. A disk that answers later than this is out of order. */
const patienceMs = 10_000
const lookMs = 2
/** Newcomers are looked for so often, in milliseconds, while all others stand still; one takes longer to begin. */
const newcomersMs = 5

/** Those of a user, but for those that have ended. */
async function processesOf(uid: number): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map((pid) => look(Number(pid), uid)))
  return found.filter((one) => one !== undefined)
}

/** The owner of the directory in /proc is not asked: programs that let nobody trace them are shown as those of root. */
async function look(pid: number, uid: number): Promise<Process | undefined> {
  let status: string
  try {
    status = await readFile(`/proc/${pid}/status`, 'utf8')
  } catch {
    // It has ended meanwhile.
    return undefined
  }
  const [, state = ''] = /^State:\s+(\w)/m.exec(status) ?? []
  const [, user] = /^Uid:\s+(\d+)/m.exec(status) ?? []
  return Number(user) === uid && !'ZX'.includes(state) ? { pid, state } : undefined
}

/** Sends a signal until `isDone` by it is everybody. Errors: a transient `DriverError` when that takes too long. */
async function sendAll(name: NodeJS.Signals, uid: number, isDone: (one: Process) => boolean): Promise<void> {
  const until = performance.now() + patienceMs
  for (;;) {
    const others = (await processesOf(uid)).filter((one) => !isDone(one))
    if (others.length === 0) return
    for (const { pid } of others) signal(pid, name)
    if (performance.now() > until) {
      throw new DriverError('Programs that work on the Storage Box do not answer.', { transient: true })
    }
    await delay(lookMs)
  }
}

const stop = (uid: number) => sendAll('SIGSTOP', uid, ({ state }) => state === 'T')

/** Tells whether a process of a user runs. */
export async function hasProcesses(uid: number): Promise<boolean> {
  return (await processesOf(uid)).length > 0
}

/** Ends all processes of a user. Errors: a transient `DriverError` when one does not end. */
export const endAll = (uid: number): Promise<void> => sendAll('SIGKILL', uid, () => false)

/** Lets all processes of a user go on that stand still. */
export async function continueAll(uid: number): Promise<void> {
  for (const one of await processesOf(uid)) if (one.state === 'T') signal(one.pid, 'SIGCONT')
}

/** Has all processes of a user stand still until the result is disposed of. Errors: those of `endAll`. */
export async function pauseAll(uid: number): Promise<AsyncDisposable> {
  let isOver = false
  const watch = async () => {
    while (!isOver) {
      await delay(newcomersMs)
      if (!isOver) await stop(uid)
    }
  }
  try {
    await stop(uid)
  } catch (error) {
    await continueAll(uid)
    throw error
  }
  // One that does not stop now was not there when the others did.
  const watching = watch().catch(() => undefined)
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await watching
      await continueAll(uid)
    },
  }
}
