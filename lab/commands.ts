/** Runs the programs that the lab is made of. */
import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'

const start = promisify(execFile)

/** How long a step may take, in milliseconds. */
const timeout = 240_000

/** What the command printed. Errors: one that names the command and has what it said, when it fails. */
export async function output(command: string, ...args: readonly string[]): Promise<string> {
  try {
    const running = start(command, args, { timeout, maxBuffer: 64 << 20 })
    // Some programs read what comes this way, and wait for it.
    running.child.stdin?.end()
    return (await running).stdout
  } catch (cause) {
    const { stdout, stderr } = cause as { stdout?: string; stderr?: string }
    if (stdout === undefined) throw cause
    throw new Error(`${[command, ...args].join(' ')} failed:\n${stdout}${stderr}`)
  }
}

/** The exit code of a command that has this process's input and output. */
export function follow(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
