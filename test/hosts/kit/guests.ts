/** Commands in the servers of a lab, and on its hosts. */
import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { type Lab, type Member, onMember } from '../../../lab/lab.ts'

/** A program and its arguments. */
export type CommandLine = readonly [string, ...string[]]

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command, which is given `input`. Errors: one when it cannot be started. */
export async function run([command, ...args]: CommandLine, input = ''): Promise<Ended> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = endOf(child)
  // Who reads nothing may be gone before it is written.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}

/** The exit code of a process, once its output is closed. Errors: one when it could not be started. */
export function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

/** What a command prints. Errors: one with what it said when it fails. */
export async function output(command: CommandLine, input?: string): Promise<string> {
  const { code, stdout, stderr } = await run(command, input)
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return stdout
}

/** What a command on a member prints. */
export function onHost(member: Member, ...command: readonly string[]): Promise<string> {
  return output(onMember(member, command))
}

/** Asks Incus for something, as JSON. */
export async function incus<T>({ members: [first] }: Lab, path: string): Promise<T> {
  return JSON.parse(await onHost(first!, 'incus', 'query', path)) as T
}

/** The command line that runs one in a server. */
export function inGuest({ members: [first] }: Lab, server: number, command: readonly string[]): CommandLine {
  return onMember(first!, ['incus', 'exec', `srv-${server}`, '--', ...command])
}
