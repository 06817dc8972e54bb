/** What the steps of a host are made of. */
import type { Decided, HostOptions } from './decisions.ts'
import type { Facts } from './facts.ts'
import type { Ended, Shell } from './shell.ts'

export interface Machine {
  readonly shell: Shell
  readonly facts: Facts
  readonly options: HostOptions
  readonly decided: Decided
  /** Runs a command of Wolke itself. */
  readonly wolke: (...args: readonly string[]) => Promise<Ended>
}

/** The lines that a program prints; none when it fails. */
export async function linesOf(shell: Shell, command: string, ...args: readonly string[]): Promise<string[]> {
  const { code, stdout } = await shell.run(command, ...args)
  return code === 0 ? stdout.trim().split('\n').filter(Boolean) : []
}

/** True for a service that runs. */
export const isActive = (shell: Shell, service: string) => shell.succeeds('systemctl', 'is-active', '--quiet', service)
