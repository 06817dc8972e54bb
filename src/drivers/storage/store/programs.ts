/** Runs the programs that work on the files of boxes. */
import { type RunOptions, run } from '../../commands.ts'

const isLinux = process.platform === 'linux'

/**
 * Runs a program like `run`, and ends it with this process, however that ends: whoever comes after it must not find somebody
 * who still copies or removes. It may take as long as it wants unless a time is given.
 */
export function work(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const bound = isLinux ? ['setpriv', '--pdeathsig', 'KILL', '--', program, ...args] : [program, ...args]
  return run(bound[0]!, bound.slice(1), '', { timeoutMs: 0, ...options })
}
