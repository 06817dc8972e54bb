/** Runs the programs that the driver needs, without a shell and without the environment of this process. */
import { execFile } from 'node:child_process'
import { DriverError } from '../../../kernel/actions/define.ts'

/** The environment of all programs: where they are, and messages in English. It carries no secret of this process. */
export const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

/** On a busy machine a program takes long to begin. */
const timeoutMs = 30_000

/** What a program printed. Errors: a transient `DriverError` with what the program said when it fails. */
export function run(program: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: environment, timeout: timeoutMs, maxBuffer: 16 * 1_024 * 1_024 }
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout)
      const said = stderr.trim() || error.message
      reject(new DriverError(`${program} ${args.join(' ')}: ${said}`, { transient: true, cause: error }))
    })
    // A program that ends before it has read everything says why itself.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
