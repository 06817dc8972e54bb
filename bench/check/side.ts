/** One of the programs that are compared: a server of it on each database, and what these hold. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { publicBase } from '../../src/kernel/contract/bases.ts'
import { listenersOn } from '../../test/load-balancers/kit/processes.ts'
import { call, forAll, idsOf, untilSettled } from '../client.ts'
import { labelsOf } from '../fill.ts'
import { freePort, type Running, Workshop } from '../processes.ts'
import { given } from '../requests.ts'

/** What there is on a side before its first round. */
const firewalls = 1_000
const servers = 32
export const namesInZone = 100
export const balancerPort = 18_080

/** The addresses of what a side holds. */
interface Held {
  readonly firewalls: readonly number[]
  readonly servers: readonly number[]
  /** Where its balancer listens. */
  readonly balancer: string
}

/** The servers of a side. */
export interface Opened {
  readonly sqlite: Running
  readonly postgres: Running
  readonly dnsPort: number
  readonly held: Held
  readonly heldByPostgres: Pick<Held, 'firewalls'>
  /** The process that carries the traffic of balancers. */
  readonly planes: readonly number[]
  stop(): Promise<void>
}

export class Side {
  readonly #workshop: Workshop
  readonly #databases: { readonly sqlite: string; readonly postgres: string }
  readonly #net: string
  readonly #key: string
  #held: Held | undefined
  #heldByPostgres: Opened['heldByPostgres'] | undefined

  /** `net` are the first two numbers of the addresses of this side, such as `127.45`. */
  constructor(directory: string, given: { program: string; postgres: string; net: string }) {
    this.#workshop = new Workshop(directory, given.program)
    this.#databases = { sqlite: `sqlite:${this.#workshop.file('check.db')}`, postgres: given.postgres }
    this.#net = given.net
    this.#key = this.#workshop.file('shared.key')
  }

  /** Starts the servers; the first time also makes what they hold. They stop with the side. */
  async open(): Promise<Opened> {
    const dnsPort = await freePort()
    const pool = ['--address-pool', `${this.#net}.0.0/16,2001:db8::/32`, '--load-balancers', 'embedded']
    const more = [...pool, '--dns-listen', `127.0.0.1:${dnsPort}`]
    const sqlite = await this.#workshop.serve(this.#databases.sqlite, { more })
    const postgres = await this.#workshop.serve(this.#databases.postgres, { more: ['--key-file', this.#key] })
    this.#held ??= await this.#fill(sqlite)
    this.#heldByPostgres ??= { firewalls: await makeFirewalls(postgres, 100) }
    await untilAnswered(this.#held.balancer)
    return {
      ...{ sqlite, postgres, dnsPort, held: this.#held, heldByPostgres: this.#heldByPostgres },
      planes: listenersOn(new URL(this.#held.balancer).hostname),
      stop: async () => void (await Promise.all([sqlite.stop(), postgres.stop()])),
    }
  }

  close(): Promise<void> {
    return this.#workshop.close()
  }

  async #fill(server: Running): Promise<Held> {
    const names = Array.from({ length: namesInZone }, (_, i) => `n${i} A 192.0.2.${i}`)
    const zone = { name: 'example.com', mode: 'primary', zonefile: names.join('\n') }
    await call('POST', `${server.url}${publicBase}/zones`, zone)
    const made = await createServers(server, 'held', servers)
    return {
      firewalls: await makeFirewalls(server, firewalls),
      servers: made.map(({ id }) => id),
      balancer: await this.#balance(server, made[0]!),
    }
  }

  /** A balancer before a target that lives as long as the side. */
  async #balance({ url }: Running, { id, ip }: Made): Promise<string> {
    const target = createServer((_, answer) => answer.end('x'.repeat(100))).listen(0, ip)
    await once(target, 'listening')
    this.#workshop.keep(async () => void target.close().closeAllConnections())
    const { port } = target.address() as AddressInfo
    const { body } = await call('POST', `${url}${publicBase}/load_balancers`, {
      ...{ name: 'held', load_balancer_type: 'lb11', location: 'fsn1' },
      services: [{ protocol: 'http', listen_port: balancerPort, destination_port: port }],
      targets: [{ type: 'server', server: { id } }],
    })
    await untilSettled(url, idsOf([body.action]))
    return `http://${body.load_balancer.public_net.ipv4.ip}:${balancerPort}/`
  }
}

interface Made {
  readonly id: number
  readonly ip: string
}

/** Creates servers and waits until they run. */
export async function createServers({ url }: Running, name: string, count: number): Promise<Made[]> {
  const asked = { server_type: 'cx23', image: 'debian-13' }
  const names = Array.from({ length: count }, (_, i) => `${name}-${i}`)
  const replies = await forAll(names, (one) => call('POST', `${url}${publicBase}/servers`, { ...asked, name: one }))
  await untilSettled(
    url,
    replies.flatMap(({ body }) => idsOf([body.action, ...body.next_actions])),
    settledEveryMs,
  )
  return replies.map(({ body }) => ({ id: body.server.id, ip: body.server.public_net.ipv4.ip }))
}

/** So seldom that asking costs nothing beside what is asked for. */
export const settledEveryMs = 25

function makeFirewalls({ url }: Running, count: number): Promise<number[]> {
  const numbers = Array.from({ length: count }, (_, i) => i)
  return forAll(numbers, async (number) => {
    const asked = { ...given, labels: labelsOf(number, count), name: `held-${number}` }
    return (await call('POST', `${url}${publicBase}/firewalls`, asked)).body.firewall.id
  })
}

async function untilAnswered(url: string): Promise<void> {
  const end = performance.now() + 20_000
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) return
    if (performance.now() > end) throw new Error(`${url} does not answer`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
