/** Finds and ends all that a run has started, however it was started. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** What a process that is asked to end may take for it, in milliseconds. */
const patienceMs = 10_000

export interface Started {
  /** Groups of processes. */
  readonly groups: ReadonlySet<number>
  /** The temporary folder of the run, if it has one by now. */
  readonly folder: string | undefined
}

/** Ends the descendants of this process, those of the groups, and whoever works with the folder; resolves once they are gone. */
export async function endAll(started: Started): Promise<void> {
  const asked = new Set<number>()
  for (const last = performance.now() + patienceMs; ; await delay(50)) {
    const all = find(started)
    if (all.length === 0) return
    const signal = performance.now() > last ? 'SIGKILL' : 'SIGTERM'
    for (const pid of all) {
      if (signal === 'SIGTERM' && asked.has(pid)) continue
      asked.add(pid)
      send(pid, signal)
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Who has no /proc knows only the groups. */
function find({ groups, folder }: Started): number[] {
  const all = list()
  if (!all) return [...groups].filter(isThere).map((group) => -group)
  const found = new Set([process.pid])
  for (const { pid, group } of all) if (groups.has(group) || (folder && worksIn(pid, folder))) found.add(pid)
  for (let before = 0; before < found.size; ) {
    before = found.size
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid)
  }
  found.delete(process.pid)
  return [...found]
}

function isThere(group: number): boolean {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

interface Listed {
  readonly pid: number
  readonly parent: number
  readonly group: number
}

/** The processes that this one may see and that have not ended; undefined on systems that do not tell. */
function list(): Listed[] | undefined {
  let names: string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return undefined
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = told(() => readFileSync(`/proc/${name}/stat`, 'utf8'))
      const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      // One that has ended waits for its parent to hear of it.
      if (stat === '' || state === 'Z') return []
      return [{ pid: Number(name), parent: Number(parent), group: Number(group) }]
    })
}

/** A process that was given no environment still has files somewhere, or is told about them. */
function worksIn(pid: number, folder: string): boolean {
  const of = (what: string) => told(() => readFileSync(`/proc/${pid}/${what}`, 'latin1'))
  return [told(() => readlinkSync(`/proc/${pid}/cwd`)), of('cmdline'), of('environ')].some((text) =>
    text.includes(folder),
  )
}

/** What the kernel tells of a process; nothing when it has ended, or belongs to somebody else. */
function told(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
