/** Runs the programs that drivers need, without a shell and without the environment of this process. */
import { execFile } from 'node:child_process'
import { DriverError } from '../kernel/actions/define.ts'

/** The environment of all programs: where they are, and messages in English. It carries no secret of this process. */
export const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

/** Milliseconds, as many as a program may need to begin on a busy machine. */
const usualTimeoutMs = 30_000

export interface RunOptions {
  /** 0 for a program that may take as long as it wants. */
  readonly timeoutMs?: number
  /** Tells of a line on standard error that it is no failure, even if the program takes it for one. */
  readonly isHarmless?: (line: string) => boolean
  /** Ends the program at once, which then has failed. */
  readonly signal?: AbortSignal
}

/** Sends a signal to a process, or to a group by its negative number. One that has ended needs none. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Returns what a program printed. Errors: a transient `DriverError` with what the program said when it fails. */
export function run(program: string, args: readonly string[], input = '', options: RunOptions = {}): Promise<string> {
  const { timeoutMs = usualTimeoutMs, isHarmless, signal } = options
  return new Promise((resolve, reject) => {
    const settings = { env: environment, timeout: timeoutMs, maxBuffer: 64 * 1_024 * 1_024 }
    // The option of Node.js of this name does not wait until the program has ended.
    const kill = () => void child.kill('SIGKILL')
    const child = execFile(program, args, settings, (error, stdout, stderr) => {
      signal?.removeEventListener('abort', kill)
      if (!error) return resolve(stdout)
      const lines = stderr.split('\n').filter((line) => line.trim() !== '')
      const failures = isHarmless ? lines.filter((line) => !isHarmless(line)) : lines
      const hasSaidAll = lines.length > 0 && failures.length === 0 && typeof error.code === 'number'
      if (hasSaidAll) return resolve(stdout)
      const said = failures.join('\n').trim() || error.message
      reject(new DriverError(`${program} ${args.join(' ')}: ${said}`, { transient: true, cause: error }))
    })
    signal?.addEventListener('abort', kill)
    if (signal?.aborted) kill()
    // A program that ends before it has read everything says why itself.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
