/** The balancer that docs/operating/processes.md describes, in front of servers on this machine. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { publicBase } from '../../../../src/kernel/contract/bases.ts'
import { freePort } from '../../../kit/ports.ts'
import { block } from '../../../operating/kit/pages.ts'

export interface RunningBalancer {
  /** The base URL of the API through it. */
  readonly baseUrl: string
  /** What it says of each server, by name: such as `UP`, `DOWN` or `NOLB`. */
  states(): Promise<ReadonlyMap<string, string>>
  stop(): Promise<void>
}

/** Starts HAProxy with the configuration of the manual, for these servers. */
export async function startBalancer(folder: string, baseUrls: readonly string[]): Promise<RunningBalancer> {
  for (;;) {
    const port = await freePort()
    const place = join(folder, `haproxy-${port}`)
    const socket = `${place}.sock`
    writeFileSync(`${place}.cfg`, `global\n  stats socket ${socket} level admin\n${configured(port, baseUrls)}`)
    const child = spawn('haproxy', ['-db', '-f', `${place}.cfg`], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    if (await listens(child, port)) {
      const baseUrl = `http://127.0.0.1:${port}${publicBase}`
      return { baseUrl, states: () => statesAt(socket), stop: () => end(child) }
    }
    // Another process can take the free port before it does.
    if (!/Address already in use/.test(said)) throw new Error(`HAProxy did not start: ${said}`)
  }
}

/** The configuration in the manual, with these servers and this port in place of those that it names. */
function configured(port: number, baseUrls: readonly string[]): string {
  const { text } = block('processes.md', 'defaults')
  const places = baseUrls.map((url) => new URL(url).host)
  const servers = text.match(/^ +server .*$/gm) ?? []
  const [checked = '', last = ''] = [
    servers.find((line) => !/backup/.test(line)),
    servers.find((line) => /backup/.test(line)),
  ]
  const lineOf = (line: string, place: string, at: number) =>
    line.replace(/server (\w)(\S*) \S+/, (_all, _name, rest) => `server ${'abc'[at]}${rest} ${place}`)
  const rest = text.replace(/^ +server .*\n/gm, '').replace(/bind \S+/, `bind 127.0.0.1:${port}`)
  const all = [checked, last].flatMap((line) => places.map((place, at) => lineOf(line, place, at)))
  return `${rest.trimEnd()}\n${all.join('\n')}\n`
}

/** Whether it takes connections; false once it has ended. */
async function listens(child: ChildProcess, port: number): Promise<boolean> {
  for (;;) {
    if (child.exitCode !== null) return false
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return true
    await delay(5)
  }
}

/** What it says; nothing while it does not take the question. */
async function statesAt(path: string): Promise<ReadonlyMap<string, string>> {
  const socket = connect(path)
  // It answers one question, and closes.
  socket.write('show stat\n')
  const parts = await socket
    .setEncoding('utf8')
    .toArray()
    .catch(() => [])
  const rows = parts
    .join('')
    .split('\n')
    .map((line: string) => line.split(','))
  const [head = []] = rows
  const status = head.indexOf('status')
  return new Map(rows.slice(1).flatMap((row) => (row[0] === 'wolke' ? [[row[1]!, row[status]!] as const] : [])))
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
