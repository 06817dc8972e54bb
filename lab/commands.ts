/** Runs the programs that the lab is made of. */
import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'

const start = promisify(execFile)

/** The longest time for a step, in milliseconds. */
const usualMs = 240_000

/**
 * Returns the output of a command. Errors: one that names the command and has what it said, when it fails or does not
 * end in four minutes.
 */
export function output(command: string, ...args: readonly string[]): Promise<string> {
  return outputWithin(usualMs, command, ...args)
}

/** The same for a command that may take so many milliseconds. */
export async function outputWithin(timeout: number, command: string, ...args: readonly string[]): Promise<string> {
  try {
    const running = start(command, args, { timeout, maxBuffer: 64 << 20 })
    // Some programs read what comes this way, and wait for it.
    running.child.stdin?.end()
    return (await running).stdout
  } catch (cause) {
    const { stdout, stderr, killed } = cause as { stdout?: string; stderr?: string; killed?: boolean }
    if (stdout === undefined) throw cause
    const how = killed ? `was ended after ${timeout / 1_000} s` : 'failed'
    throw new Error(`${[command, ...args].join(' ')} ${how}:\n${stdout}${stderr}`)
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
