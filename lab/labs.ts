/** The labs of this machine: each is a process with namespaces, a folder and control groups, all of one name. */
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { labGroups, removeLabGroup } from './cgroups.ts'
import { currentLab, labVariable } from './lab.ts'

const prefix = 'wolkelab-'

/** The name of this process's lab. It tells whether the process still runs, even when its number is used again. */
export const ownName = () => `${prefix}${namespaceOf('self')}-${process.pid}-${startOf(process.pid)}`

export const folderOf = (name: string) => join(tmpdir(), name)

/** The file that says what a lab is. */
export const descriptionOf = (name: string) => join(folderOf(name), 'lab.json')

/** The names of labs that run, and of those whose process ended without clearing up. */
export function labs(): { running: string[]; left: string[] } {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))
  const names = [...new Set([...folders, ...labGroups(prefix)])]
  return { running: names.filter(isRunning), left: names.filter(isLeft) }
}

/** Reads the name of a lab, which identifies its process: its namespace, its number there and when it began. */
function partsOf(name: string): { namespace: string; pid: number; start: string } {
  const [namespace = '', pid, start = ''] = name.slice(prefix.length).split('-')
  return { namespace, pid: Number(pid), start }
}

/** The only lab that runs, by its name; undefined when there is none. Errors: one when there are several, or it is not up. */
export function runningLab(): string | undefined {
  const [name, ...others] = labs().running
  if (others.length > 0) throw new Error(`There is not one lab, but ${others.length + 1}`)
  if (name !== undefined && !existsSync(descriptionOf(name))) throw new Error('The lab is not up yet')
  return name
}

/** The command line that runs one in the namespaces of a lab, in the same folder. Its process is one outside of them too. */
export function within(name: string, command: readonly string[]): [string, ...string[]] {
  const first = childOf(childOf(partsOf(name).pid))
  const namespaces = ['--net', '--mount', '--pid', '--ipc', '--uts']
  const variable = `${labVariable}=${descriptionOf(name)}`
  return ['nsenter', '-t', `${first}`, ...namespaces, 'env', '-C', process.cwd(), variable, ...command]
}

/** The first child of a process. */
export function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
}

/** Takes away what a lab has left, whose processes have ended or are about to. */
export async function clear(name: string): Promise<void> {
  await untilDone(() => removeLabGroup(name))
  await untilDone(() => rmSync(folderOf(name), { recursive: true, force: true }))
}

/** Tries for ten seconds, because what was killed takes a moment to end. */
async function untilDone(attempt: () => void): Promise<void> {
  for (const deadline = performance.now() + 10_000; ; await delay(20)) {
    try {
      return attempt()
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? ''
      if (!['EBUSY', 'ENOTEMPTY'].includes(code) || performance.now() > deadline) throw error
    }
  }
}

function isRunning(name: string): boolean {
  const { namespace, pid, start } = partsOf(name)
  return namespace === namespaceOf('self') && start === startOf(pid)
}

/** Within a lab, the processes of others cannot be seen. */
function isLeft(name: string): boolean {
  const { namespace } = partsOf(name)
  if (namespace === namespaceOf('self')) return !isRunning(name)
  return !currentLab() && !readdirSync('/proc').some((entry) => /^\d/.test(entry) && namespaceOf(entry) === namespace)
}

/** The number of the namespace of a process; undefined when it has just ended. */
function namespaceOf(pid: string): string | undefined {
  try {
    return /\d+/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0]
  } catch {
    return undefined
  }
}

/** Returns when a process began, in ticks since the machine did; undefined when it has just ended. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
