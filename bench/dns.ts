/**
 * Compares queries per second with Knot DNS, which serves the same zone on the same machine in alternating rounds.
 * Needs Debian's `knot` and `dnsperf`.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { freePort, token, type Workshop } from './processes.ts'
import type { Row } from './report.ts'
import { type Effort, inTurns } from './rounds.ts'

const run = promisify(execFile)

/** The promised ratio to Knot's queries per second. */
const promised = 0.85
export const names = 1_000

export async function dns(workshop: Workshop, { rounds, seconds }: Effort): Promise<Row[]> {
  if (!(await Promise.all([run('knotd', ['--version']), run('dnsperf', ['-h'])]).catch(() => undefined))) {
    console.error('dns is not measured: knotd and dnsperf are not installed')
    return []
  }
  const port = await freePort()
  const { url } = await workshop.serve('memory', { more: ['--dns-listen', `127.0.0.1:${port}`] })
  await makeZone(url)
  const { zonefile } = (await (await call(`${url}${publicBase}/zones/example.com/zonefile`)).json()) as {
    zonefile: string
  }
  const knotPort = await startKnot(workshop, zonefile)
  const echoPort = await startEcho(workshop)
  const rows: Row[] = []
  for (const [name, line] of Object.entries(loads)) {
    const file = workshop.file('queries.txt')
    writeFileSync(file, Array.from({ length: names }, (_, i) => line(i)).join('\n'))
    const measure = (at: number) => queriesPerSecond(at, file, seconds)
    await measure(port)
    await measure(knotPort)
    const { wolke, bare, ratio } = await inTurns(rounds, { wolke: () => measure(port), bare: () => measure(knotPort) })
    const bar = { text: `>= ${promised} of Knot`, met: ratio >= promised }
    rows.push({ name: `dns ${name}`, unit: 'queries/s', wolke, bare, ratio, bar })
    if (name !== 'known') continue
    await measure(echoPort)
    const least = await inTurns(rounds, { wolke: () => measure(echoPort), bare: () => measure(knotPort) })
    rows.push({ name: 'dns, of a server of Node.js that sends back what it gets', unit: 'queries/s', ...least })
  }
  return rows
}

/** Query lines by load: existing names, and nonexistent names that are all different. */
const loads: Readonly<Record<string, (index: number) => string>> = {
  known: (i) => `n${i}.example.com A`,
  missing: (i) => `x${i}.n${i}.example.com A`,
}

const call = (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } })

/** Makes a zone with many names through the API. */
export async function makeZone(url: string, name = 'example.com'): Promise<void> {
  const zonefile = Array.from({ length: names }, (_, i) => `n${i} A 192.0.2.${i % 250}`).join('\n')
  const body = JSON.stringify({ name, mode: 'primary', zonefile })
  const answer = await call(`${url}${publicBase}/zones`, { method: 'POST', body })
  if (answer.status !== 201) throw new Error(await answer.text())
}

/**
 * The least that a server of Node.js does for a query: it bounds what any name server of it can be. As ours does, it sends
 * after it has read all that came, which costs whoever gets the answers less. It ends with the benchmark, also
 * with one that is killed, since its socket would keep it.
 */
const echo = `
  const socket = require('node:dgram').createSocket({ type: 'udp4', lookup: (host, _, found) => found(null, host, 4) })
  let waiting = []
  const sendAll = () => {
    const all = waiting
    waiting = []
    for (const [message, port, address] of all) socket.send(message, port, address)
  }
  socket.on('message', (message, { port, address }) => {
    message[2] |= 0x80
    if (waiting.push([message, port, address]) === 1) setImmediate(sendAll)
  })
  socket.bind(Number(process.argv[1]), '127.0.0.1', () => process.send('ready'))
  // It ends with its parent, also with one that was killed: nobody else would end it, and it has nothing to finish.
  process.on('disconnect', () => process.exit())
`

async function startEcho(workshop: Workshop): Promise<number> {
  const port = await freePort()
  const child = spawn(process.execPath, ['-e', echo, String(port)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  workshop.keep(async () => void child.kill())
  await once(child, 'message')
  return port
}

async function startKnot(workshop: Workshop, zonefile: string): Promise<number> {
  const port = await freePort()
  const folder = join(workshop.directory, 'knot')
  mkdirSync(folder)
  writeFileSync(join(folder, 'example.com.zone'), zonefile)
  const config = [
    ...['server:', `  listen: 127.0.0.1@${port}`, `  rundir: ${folder}`, 'database:', `  storage: ${folder}/db`],
    ...['zone:', '  - domain: example.com', `    storage: ${folder}`, '    file: example.com.zone', ''],
  ]
  const file = join(folder, 'knot.conf')
  writeFileSync(file, config.join('\n'))
  const child = spawn('knotd', ['-c', file], { stdio: 'ignore' })
  workshop.keep(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  for (let tries = 0; tries < 100; tries++) {
    const { stdout } = await run('dig', [
      '@127.0.0.1',
      '-p',
      String(port),
      '+short',
      '+time=1',
      '+tries=1',
      'n1.example.com',
    ]).catch(() => ({ stdout: '' }))
    if (stdout.startsWith('192.0.2.')) return port
    await delay(50)
  }
  throw new Error('knotd does not answer')
}

/** Queries per second that a server answers; `more` are options of dnsperf. */
export async function queriesPerSecond(
  port: number,
  file: string,
  seconds: number,
  more: readonly string[] = [],
): Promise<number> {
  const { stdout } = await run('dnsperf', [
    '-s',
    '127.0.0.1',
    '-p',
    String(port),
    '-d',
    file,
    '-l',
    String(seconds),
    '-c',
    '8',
    ...more,
  ])
  const [, rate] = /Queries per second:\s+([\d.]+)/.exec(stdout) ?? []
  const [, lost] = /Queries lost:\s+(\d+)/.exec(stdout) ?? []
  if (rate === undefined || Number(lost) > 0.01 * Number(rate) * seconds) throw new Error(`dnsperf: ${stdout}`)
  return Number(rate)
}
