/** Runs Wolke on the hosts of a lab. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { follow } from './commands.ts'
import type { Lab } from './lab.ts'
import { childOf } from './labs.ts'

const root = join(import.meta.dirname, '..')

/** The options of `wolke serve` that say what hosts there are. */
export function hostsOptionsOf({ incus, ovn, names, metadata }: Lab): Record<`--${string}`, string> {
  return {
    '--infrastructure': 'incus',
    '--incus': incus.urls.join(','),
    '--incus-cert': incus.clientCertificate,
    '--incus-key': incus.clientKey,
    '--incus-server-cert': incus.serverCertificate,
    '--incus-uplink': names.uplink,
    '--incus-network': names.network,
    '--incus-pool': names.pool,
    '--incus-type': 'container',
    // Servers of a lab use little of what they are promised.
    '--incus-overcommit': '16',
    '--ovn': ovn.northbound,
    '--ovn-ca': ovn.authority,
    '--ovn-cert': ovn.certificate,
    '--ovn-key': ovn.key,
    '--metadata-listen': `${metadata.host}:${metadata.port}`,
  }
}

/** The command line that runs Wolke in a lab. Its database is there as long as the servers that it knows. */
export function serveCommand(lab: Lab, options: readonly string[]): [string, ...string[]] {
  const given = {
    ...hostsOptionsOf(lab),
    '--address-pool': `${lab.pools.ipv4},${lab.pools.ipv6}`,
    '--database': `sqlite:${join(lab.folder, 'wolke.db')}`,
  }
  return [process.execPath, join(root, 'dist/main.js'), 'serve', ...Object.entries(given).flat(), ...options]
}

/** Builds the program. Errors: one when it cannot be built. */
export async function buildProgram(): Promise<void> {
  if ((await follow(process.execPath, [join(root, 'build.mjs')])) !== 0) throw new Error('Wolke could not be built')
}

/**
 * Runs a command that ends by itself when it is interrupted. `entering` is what runs it in other namespaces, as one process
 * that knows nothing of signals; empty in the same ones. Returns the exit code.
 */
export function interruptible(entering: readonly string[], command: readonly string[]): Promise<number> {
  const dieTogether = (signal: string) => ['setpriv', '--pdeathsig', signal]
  const [program = '', ...args] = [...dieTogether('KILL'), ...entering, ...dieTogether('TERM'), ...command]
  // Signals of the terminal come to this process alone, which hands each on once.
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true })
  const handOn = (signal: NodeJS.Signals) => {
    const pid = entering.length === 0 ? child.pid! : childOf(child.pid!)
    // Before it is there, who stands for it ends with the signal.
    process.kill(pid || child.pid!, signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, handOn)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      for (const signal of signals) process.off(signal, handOn)
      resolve(code ?? 1)
    })
  })
}
