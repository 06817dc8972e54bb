/** HAProxy with the shortest configuration that forwards HTTP: the least that it takes for a request on this machine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../test/kit/database/bare-database.ts'
import { statusOf } from '../test/load-balancers/kit/clients.ts'

interface Endpoint {
  readonly host: string
  readonly port: number
}

export interface Shortest {
  readonly pid: number
  stop(): Promise<void>
}

/**
 * Starts it in the network namespace of a process, so that packets take the same way as to and from that process, and in a
 * session of its own, as that process is: sessions share the processor, and who has more of it wakes for fewer messages.
 */
export async function startShortest(beside: number, listen: Endpoint, target: Endpoint): Promise<Shortest> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-shortest-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration(listen, target))
  // `nsenter` becomes the program, which has its process id.
  const child = spawn('nsenter', ['--target', String(beside), '--net', 'haproxy', '-db', '-f', file], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    rmSync(folder, { recursive: true })
  }
  await until(async () => (await statusOf(listen)) === 200)
  return { pid: child.pid!, stop }
}

/** It warns of missing timeouts; one thread is what ours has. */
function configuration(listen: Endpoint, target: Endpoint): string {
  const lines = [
    ...['global', 'nbthread 1', 'defaults', 'mode http'],
    ...['timeout client 50s', 'timeout connect 5s', 'timeout server 50s'],
    ...['listen all', `bind ${listen.host}:${listen.port}`, `server target ${target.host}:${target.port}`],
  ]
  return `${lines.join('\n')}\n`
}
