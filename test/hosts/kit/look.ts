/** Looks at the servers of a lab from inside, by commands in them, and from outside, by packets and SSH. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Lab } from '../../../lab/lab.ts'
import { cidrContains } from '../../../src/protocols/net/ip.ts'
import type { Look, OwnAddress, Probe } from '../../conformance/place.ts'
import type { Client } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { type CommandLine, endOf, incus, inGuest, onHost, output, run } from './guests.ts'

const script = readFileSync(join(import.meta.dirname, 'probe.py'), 'utf8')
/** Numbers of protocols whose packets nothing answers. */
const numbers = { udp: '17', esp: '50', gre: '47' } as const

interface Instance {
  readonly name: string
  readonly location: string
  readonly config: Readonly<Record<string, string>>
}

/** Opens the eyes of a lab: what is there now is not taken for a leftover. `key` is the file of the private key. */
export async function openLook(lab: Lab, api: Client, key: string): Promise<LabLook> {
  const before = new Set(await inventory(lab))
  return new LabLook(lab, api, key, before)
}

export class LabLook implements Look {
  readonly #lab: Lab
  readonly #api: Client
  readonly #key: string
  readonly #before: ReadonlySet<string>

  constructor(lab: Lab, api: Client, key: string, before: ReadonlySet<string>) {
    this.#lab = lab
    this.#api = api
    this.#key = key
    this.#before = before
  }

  /** The same eyes for another Project. */
  as(api: Client): LabLook {
    return new LabLook(this.#lab, api, this.#key, this.#before)
  }

  async arrives({ from, to, protocol, port }: Probe): Promise<boolean> {
    const rest = port === undefined ? [to] : [to, `${port}`]
    if (protocol === 'tcp' || protocol === 'icmp') return isArrival(await output(this.#python(from, protocol, ...rest)))
    return this.#passes(from, numbers[protocol], rest)
  }

  /** The command line that runs the script in a server, or on this side of the uplink. */
  #python(from: number | null, ...args: readonly string[]): CommandLine {
    const command: CommandLine = ['python3', '-c', script, ...args]
    return from === null ? command : inGuest(this.#lab, from, command)
  }

  /** Whether packets of an IP protocol get to the server with an address, which listens for them. */
  async #passes(from: number | null, number: string, [to, ...port]: readonly string[]): Promise<boolean> {
    const mark = randomUUID()
    const [command, ...args] = this.#python(await this.#holderOf(to!), 'listen', number, mark)
    const listener = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = endOf(listener)
    const heard = text(listener.stdout)
    await Promise.race([new Promise((resolve) => listener.stdout.once('data', resolve)), ended])
    await output(this.#python(from, 'send', number, mark, to!, ...port))
    await ended
    return isArrival(await heard)
  }

  async #holderOf(address: string): Promise<number> {
    const { servers } = await done(this.#api.get('/servers?per_page=50'))
    const own = ({ public_net: { ipv4, ipv6 } }: { public_net: { ipv4?: { ip: string }; ipv6?: { ip: string } } }) =>
      ipv4?.ip === address || (ipv6 !== undefined && cidrContains(ipv6.ip, address))
    const holder = servers.find(own)
    if (!holder) throw new Error(`no server has ${address}`)
    return holder.id
  }

  async logIn(address: string): Promise<string | undefined> {
    if (!(await listens(address, 22))) return undefined
    const options = ['BatchMode=yes', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'ConnectTimeout=10']
    const args = ['-F', 'none', '-i', this.#key, ...options.flatMap((option) => ['-o', option]), `root@${address}`]
    const { code, stdout } = await run(['ssh', ...args, 'hostname'])
    return code === 0 ? stdout.trim() : undefined
  }

  #instance(server: number): Promise<Instance> {
    return incus<Instance>(this.#lab, `/1.0/instances/srv-${server}`)
  }

  async hostOf(server: number): Promise<string> {
    return (await this.#instance(server)).location
  }

  /** The first process of a container is another one after every boot. */
  async bootOf(server: number): Promise<string> {
    const { pid } = await incus<{ pid: number }>(this.#lab, `/1.0/instances/srv-${server}/state`)
    return `${pid}`
  }

  /** As Incus was told: a guest sees no more than its host has in the lab. */
  async sizeOf(server: number) {
    const { config } = await this.#instance(server)
    return { cores: Number(config['limits.cpu']), memoryMb: Number.parseInt(config['limits.memory'] ?? '', 10) }
  }

  async volumeGb(volume: number): Promise<number> {
    const path = `/1.0/storage-pools/${this.#lab.names.pool}/volumes/custom?recursion=1`
    const volumes = await incus<Pick<Instance, 'name' | 'config'>[]>(this.#lab, path)
    const size = volumes.find(({ name }) => name === `vol-${volume}`)?.config.size
    if (size === undefined) throw new Error(`there is no volume ${volume} with a size`)
    return toGb(size)
  }

  async read(server: number, path: string): Promise<string | undefined> {
    const { code, stdout } = await run(inGuest(this.#lab, server, ['cat', path]))
    return code === 0 ? stdout : undefined
  }

  async write(server: number, path: string, content: string): Promise<void> {
    const command = ['sh', '-c', 'cat >"$1" && sync "$1"', 'sh', path]
    await output(inGuest(this.#lab, server, command), content)
  }

  /** A public address is on the loopback interface, so that nothing is sent from it but answers. */
  async configure(server: number, { address, within }: OwnAddress): Promise<void> {
    const length = address.includes(':') ? 128 : 32
    if (!within) {
      await this.#inside(server, 'ip', 'address', 'replace', `${address}/${length}`, 'dev', 'lo')
      return
    }
    const { mac, gateway, ranges } = within
    await this.#inside(server, 'sh', '-euc', joining, 'sh', mac, `${address}/${length}`, gateway, ...ranges)
  }

  #inside(server: number, ...command: readonly string[]): Promise<string> {
    return output(inGuest(this.#lab, server, command))
  }

  async leftovers(): Promise<string[]> {
    return (await inventory(this.#lab)).filter((name) => !this.#before.has(name))
  }
}

/** Takes an address on the interface with a hardware address, and sends some ranges to its gateway. */
const joining = `
device=$(ip -o link | grep -i "$1" | sed 's/^[0-9]*: \\([^:@]*\\).*/\\1/')
ip link set "$device" up
ip address replace "$2" dev "$device"
ip route replace "$3/32" dev "$device"
gateway=$3
shift 3
for range; do ip route replace "$range" via "$gateway" dev "$device"; done
`

/**
 * Whether something accepts connections at an address. What is sent to a guest that boots is lost, and sent again only after a
 * second and more: whoever waits for the guest asks anew instead.
 */
function listens(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  return new Promise((resolve) => {
    const end = (isOpen: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(isOpen)
    }
    const timer = setTimeout(() => end(false), 300)
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}

const isArrival = (said: string) => said.trim().split('\n').at(-1) === 'arrived'

const units: Readonly<Record<string, number>> = { GiB: 1, GB: 1, B: 1 / 2 ** 30, '': 1 / 2 ** 30 }

function toGb(size: string): number {
  const [, number = '', unit = ''] = /^(\d+)(\w*)$/.exec(size) ?? []
  return Math.round(Number(number) * (units[unit] ?? Number.NaN))
}

/** Names of everything in Incus and OVN that a driver may have made. */
async function inventory(lab: Lab): Promise<string[]> {
  const paths = {
    instance: '/1.0/instances?recursion=1',
    volume: `/1.0/storage-pools/${lab.names.pool}/volumes/custom?recursion=1`,
    network: '/1.0/networks?recursion=1',
  }
  const names = await Promise.all(
    Object.entries(paths).map(async ([kind, path]) =>
      (await incus<{ name: string }[]>(lab, path)).map(({ name }) => `${kind} ${name}`),
    ),
  )
  const images = await incus<{ fingerprint: string }[]>(lab, '/1.0/images?recursion=1')
  return [...names.flat(), ...images.map(({ fingerprint }) => `image ${fingerprint}`), ...(await rows(lab))]
}

/** Tables of the northbound database, with what tells their rows apart. */
const tables = {
  ACL: '_uuid',
  Logical_Router_Static_Route: '_uuid',
  Logical_Router_Policy: '_uuid',
  Load_Balancer: '_uuid',
  Logical_Switch_Port: 'name',
}

async function rows({ members: [first] }: Lab): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(tables).map(async ([table, column]) => {
      const list = ['ovn-nbctl', '--timeout=30', '--bare', `--columns=${column}`, 'list', table]
      const names = (await onHost(first!, ...list)).split(/\s+/).filter(Boolean)
      return names.map((name) => `${table} ${name}`)
    }),
  )
  return found.flat()
}
