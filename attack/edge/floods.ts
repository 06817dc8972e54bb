/** Floods of requests by callers that do not read the answers. */
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Running } from '../../bench/processes.ts'
import { publicBase } from '../../src/kernel/contract/bases.ts'
import { atLeast, atMost, type Context, type Finding, none } from '../attack.ts'
import { type Installation, memoryGrowth } from '../installation.ts'
import { type Waits, waitsDuring } from '../probe.ts'
import { converse, dial } from './raw.ts'

/** A tenant's latency may double; below this many milliseconds it is noise. */
const noiseMs = 10

interface Flood {
  readonly name: string
  readonly connections: number
  readonly bytes: Buffer
  /** True when the caller reads the answers. */
  readonly reads: boolean
  readonly mostMb: number
}

function request(lines: readonly string[]): string {
  return `${[...lines, 'Host: a'].join('\r\n')}\r\n\r\n`
}

const pipelined = (text: string, bytes: number) => Buffer.from(text.repeat(Math.ceil(bytes / text.length)))

export async function floods(context: Context, installation: Installation): Promise<Finding[]> {
  const authorization = `Authorization: Bearer ${installation.tenants[1].readWrite}`
  const page = request([`GET ${publicBase}/openapi.json HTTP/1.1`, 'Accept-Encoding: br'])
  const list = request([`GET ${publicBase}/server_types HTTP/1.1`, authorization])
  const some = context.size(5, 30)
  return [
    ...(await flood(context, installation, {
      name: `${some} connections that pipeline 80 KB of requests for an open page`,
      connections: some,
      bytes: pipelined(page, 80_000),
      reads: true,
      mostMb: 60,
    })),
    ...(await flood(context, installation, {
      name: `${some} such connections that never read`,
      connections: some,
      bytes: pipelined(page, 80_000),
      reads: false,
      mostMb: 60,
    })),
    ...(await flood(context, installation, {
      name: `${context.size(10, 100)} connections with a token that pipeline and never read`,
      connections: context.size(10, 100),
      bytes: pipelined(list, 80_000),
      reads: false,
      mostMb: 120,
    })),
  ]
}

async function flood(context: Context, installation: Installation, plan: Flood): Promise<Finding[]> {
  const { workshop } = context
  // The default rate limit applies: callers without a token have a bucket of their own.
  const server = await installation.serve({ more: ['--rate-limit', '3600'] })
  const tenant = { token: installation.tenants[0].readWrite, path: `${publicBase}/firewalls` }
  const seconds = context.size(1, 8)
  const idle = await waitsDuring(workshop, server, tenant, () => delay(seconds * 1_000))
  let busy: Waits | undefined
  const grown = await memoryGrowth(server, async () => {
    busy = await waitsDuring(workshop, server, tenant, () => pour(server, plan, seconds * 1_000))
  })
  const alive = server.isAlive() ? [] : ['the process ended']
  await server.stop()
  const { p99, failed } = busy!
  return [
    atMost(`${plan.name} cost little memory`, grown, 'MB', plan.mostMb),
    atMost(`${plan.name} leave tenants alone: p99 at most doubles`, p99, 'ms', Math.max(noiseMs, idle.p99 * 2)),
    none(
      `${plan.name} cost no tenant an answer`,
      'failed',
      [...alive, ...Array<string>(failed).fill('no answer')],
      context,
    ),
  ]
}

async function pour(server: Running, { connections, bytes, reads }: Flood, ms: number): Promise<void> {
  const sockets: Socket[] = Array.from({ length: connections }, () => dial(server))
  for (const socket of sockets) {
    if (reads) socket.resume()
    else socket.pause()
    socket.write(bytes)
  }
  await delay(ms)
  for (const socket of sockets) socket.destroy()
}

/** Half a request, of which a further byte comes now and then. */
const unfinished = `GET ${publicBase}/server_types HTTP/1.1\r\nHost: a\r\nX-Slow: `

/** Takes all connections that an address may have, and more, with requests that never end. */
export async function crowd(context: Context, installation: Installation): Promise<Finding[]> {
  const { workshop } = context
  const server = await installation.serve()
  const sockets = new Set<Socket>()
  let isOver = false
  let dialed = 0
  const press = () => {
    if (isOver) return
    dialed++
    const socket = dial(server)
    sockets.add(socket)
    socket.write(unfinished)
    socket.resume()
    socket.once('close', () => {
      sockets.delete(socket)
      setTimeout(press, 100)
    })
  }
  for (let i = 0; i < 1_000; i++) press()
  const drip = setInterval(() => {
    for (const socket of sockets) socket.write('x')
  }, 500)
  const tenant = { token: installation.tenants[0].readWrite, path: `${publicBase}/firewalls` }
  const waits = await waitsDuring(workshop, server, tenant, () => delay(context.size(3, 15) * 1_000))
  isOver = true
  clearInterval(drip)
  for (const socket of sockets) socket.destroy()
  await server.stop()
  const failed = Array<string>(waits.failed).fill('no answer')
  return [
    atLeast('requests that never end take the connections of an address', dialed, 'connections', 1_000),
    none('good requests from the same address are answered meanwhile', 'failed', failed, context),
  ]
}

/** Sends bodies of 2 MB that must be refused: too deeply nested, too many parts, or of an unexpected shape. */
export async function bodies(context: Context, installation: Installation): Promise<Finding[]> {
  const { workshop, random } = context
  const server = await installation.serve()
  const size = 2 * 2 ** 20 - 1_024
  const texts = [
    '['.repeat(size),
    `{"zonefile":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`,
    `{"zonefile":[${'1,'.repeat(size / 2 - 20)}1]}`,
    `{${Array.from({ length: size / 16 }, (_, i) => `"k${String(i).padStart(8, '0')}":1`).join(',')}}`,
  ]
  const authorization = `Authorization: Bearer ${installation.tenants[1].readWrite}`
  const post = (text: string) => {
    const lines = [
      `POST ${publicBase}/zones/1/actions/import_zonefile HTTP/1.1`,
      'Host: a',
      authorization,
      'Connection: close',
    ]
    return converse(dial(server), `${lines.join('\r\n')}\r\nContent-Length: ${text.length}\r\n\r\n${text}`, 20_000)
  }
  const wrong: string[] = []
  const tenant = { token: installation.tenants[0].readWrite, path: `${publicBase}/firewalls` }
  const waits = await waitsDuring(workshop, server, tenant, async () => {
    for (let round = 0; round < context.size(1, 5); round++) {
      const heard = await Promise.all(Array.from({ length: 16 }, () => post(random.pick(texts))))
      for (const { answers } of heard) {
        const status = answers[0]?.status ?? 0
        if (status < 400 || status >= 500) wrong.push(`answered ${status}`)
      }
    }
  })
  await server.stop()
  return [
    none('16 bodies of 2 MB at once are refused', 'not refused', wrong, context),
    atMost('16 refused bodies of 2 MB at once stop nobody: longest wait', waits.longest, 'ms', 150),
  ]
}
