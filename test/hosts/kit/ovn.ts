/**
 * Databases of OVN beside those of a lab, with networks that no Incus knows and ports that no instance has: OVN tells what
 * it would do with packets there, and what several processes write at once harms nobody.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Overlay, openOverlay } from '../../../src/drivers/hosts/overlay/overlay.ts'
import { theLab } from './cluster.ts'
import { onHost } from './guests.ts'

const script = readFileSync(join(import.meta.dirname, 'ovn-site.sh'), 'utf8')

/** Asks what would become of a packet, in a copy of a database without port security, of which this tool knows no networks. */
const tracing = `
folder=$(mktemp -d)
cp "$1/sb.db" "$folder/sb.db"
export database=unix:$folder/sock network=$2 flow=$3
none='["OVN_Southbound", {"op": "update", "table": "Port_Binding", "where": [], "row": {"port_security": ["set", []]}}]'
export none fresh="--ct=new --ct=new --ct=new --ct=new --ct=new --ct=new"
timeout 60 ovsdb-server "--remote=p$database" "--unixctl=$folder/ctl" -vconsole:off "$folder/sb.db" --run='
  ovsdb-client transact "$database" "$none" >/dev/null
  ovn-trace "--db=$database" --minimal $fresh "$network" "$flow"'
rm -r "$folder"`

/** The hardware address of the public router, for packets that go beyond the switch. */
export const routerMac = '10:66:6a:00:00:01'
export const outside = { ipv4: '198.51.100.1', ipv6: '2001:db8:ff::1' }
const fromOutside = 'inport == "outside" && eth.src == 10:66:6a:00:00:99 && eth.dst == 10:66:6a:00:00:02'

/** The numbers of networks in Incus: the public one, and two private ones. */
const numbers: Readonly<Record<string, number>> = { pub: 3, wn4: 4, wn5: 5 }

export class OvnSite {
  readonly #folder: string
  readonly #remotes: readonly string[]
  readonly #overlays: Overlay[] = []

  private constructor(folder: string, remotes: readonly string[]) {
    this.#folder = folder
    this.#remotes = remotes
  }

  /** Starts the databases, which are there until it is closed: the northbound one as a cluster of several members, if asked to. */
  static async open(members = 1): Promise<OvnSite> {
    const [host] = theLab().members
    const folder = `/run/ovn-site-${process.pid}`
    const ports = Array.from({ length: members }, (_, index) => `${10_000 + (process.pid % 10_000) + index}`)
    await onHost(host!, 'bash', '-euc', script, 'bash', folder, host!.address, ...ports)
    return new OvnSite(
      folder,
      ports.map((port) => `tcp:${host!.address}:${port}`),
    )
  }

  /** What one process of Wolke has of it. */
  async overlay(): Promise<Overlay> {
    const overlay = await openOverlay({
      remotes: this.#remotes,
      publicNetwork: 'pub',
      metadata: `${outside.ipv4}:8169`,
      async logicalNetwork(name) {
        const number = numbers[name]
        if (number === undefined) return undefined
        return { logicalSwitch: `incus-net${number}-ls-int`, logicalRouter: `incus-net${number}-lr` }
      },
    })
    this.#overlays.push(overlay)
    return overlay
  }

  nb(...args: readonly string[]): Promise<string> {
    const database = `--db=${this.#remotes.map((_, index) => `unix:${this.#folder}/nb${index + 1}.sock`).join(',')}`
    return onHost(theLab().members[0]!, 'ovn-nbctl', database, '--timeout=20', ...args)
  }

  /** Makes the port that Incus makes when an instance starts. */
  async plug(port: string, mac: string, ...addresses: readonly string[]): Promise<void> {
    const [name] = /^incus-net\d+/.exec(port) ?? []
    await this.nb('lsp-add', `${name}-ls-int`, port, '--', 'lsp-set-addresses', port, [mac, ...addresses].join(' '))
    // OVN has it in its other database then.
    await this.nb('--wait=sb', 'sync')
  }

  /** The names of the ports of instances in a network. */
  async ports(number = 3): Promise<string[]> {
    const said = await this.nb('--bare', '--columns=name', 'list', 'Logical_Switch_Port')
    return said
      .split('\n')
      .filter((name) => name.startsWith(`incus-net${number}-instance-`))
      .sort()
  }

  /** The ports that the first packet of a connection gets to, of which `outside` is the router of the operator. */
  async trace(network: string, flow: string): Promise<string[]> {
    const said = await onHost(theLab().members[0]!, 'bash', '-euc', tracing, 'bash', this.#folder, network, flow)
    return [...said.matchAll(/output\("([^"]+)"\)/g)].map(([, port]) => port!)
  }

  /** Where a packet from outside gets to. */
  traceInbound(flow: string): Promise<string[]> {
    return this.trace('incus-net3-ls-ext', `${fromOutside} && ip.ttl == 64 && ${flow}`)
  }

  /** The next hops of all rows for a destination, in a network. */
  async hopsTo(destination: string, number = 3): Promise<string[]> {
    const where = [`ip_prefix="${destination}"`, `external_ids:router=incus-net${number}-lr`]
    const said = await this.nb('--bare', '--columns=nexthop', 'find', 'Logical_Router_Static_Route', ...where)
    return said.split('\n').filter((line) => line !== '')
  }

  /** Ends the member of the northbound database that leads, without its having a say. */
  async killLeader(): Promise<void> {
    const kill = `for member in "$1"/nb*.ctl; do
      case $(ovs-appctl --timeout=5 --target="$member" cluster/status OVN_Northbound) in
        *'Role: leader'*) kill -9 "$(cat "\${member%.ctl}.pid")"; exit ;;
      esac
    done
    exit 1`
    await onHost(theLab().members[0]!, 'bash', '-euc', kill, 'bash', this.#folder)
  }

  async close(): Promise<void> {
    for (const overlay of this.#overlays) await overlay.close()
    // One that was killed has left its file, and those that end remove theirs.
    const end = `pids=$(cat "$1"/*.pid)
    kill $pids || true
    for pid in $pids; do timeout 10 tail --pid="$pid" -f /dev/null; done
    rm -r "$1"`
    await onHost(theLab().members[0]!, 'bash', '-euc', end, 'bash', this.#folder)
  }
}
