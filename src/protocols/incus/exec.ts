/** Runs programs inside of instances. */
import type { Incus } from './client.ts'

/** The exit code of a program, and what it printed. */
export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface ExecOptions {
  /** It may take so long, in milliseconds. */
  readonly timeoutMs?: number
  readonly environment?: Readonly<Record<string, string>>
}

/** Incus keeps what programs print in files of its own, until they are deleted. */
interface Recorded {
  readonly return?: number
  readonly output?: Readonly<Record<string, string>>
}

/**
 * Runs a program in a running instance and waits for its end. Arguments are visible in the log of Incus, so secrets come as
 * files. Errors: `DriverError` when it cannot be run; one that fails is none.
 */
export async function exec(
  incus: Incus,
  instance: string,
  command: readonly string[],
  { timeoutMs, environment = {} }: ExecOptions = {},
): Promise<Outcome> {
  const body = { command, environment, 'record-output': true, interactive: false }
  const path = `/1.0/instances/${instance}/exec`
  const ended = (await incus.change('POST', path, body, timeoutMs === undefined ? {} : { timeoutMs })) as Recorded
  const read = async (stream: '1' | '2') => {
    const file = ended.output?.[stream]
    if (file === undefined) return ''
    const text = await incus.text(file)
    await incus.change('DELETE', file)
    return text
  }
  const [stdout, stderr] = await Promise.all([read('1'), read('2')])
  return { code: ended.return ?? -1, stdout, stderr }
}
