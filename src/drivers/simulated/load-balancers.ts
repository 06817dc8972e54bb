/**
 * Simulated Load Balancers: they carry no traffic. Their health is what the simulated network says of a packet to the
 * target, and their measurements are plausible.
 */
import type {
  BalancerSeries,
  BalancerService,
  BalancerState,
  BalancerTarget,
  Health,
  LoadBalancerDriver,
  Observation,
} from '../../families/load-balancers/driver.ts'
import { usualAt } from './measurements.ts'
import { simulatePackets } from './packets.ts'
import { Generations, keptMap, type Share, type Site } from './simulation.ts'

/** How much a Load Balancer has to do from a moment on (milliseconds since the epoch). */
interface Load {
  readonly atMs: number
  /** Pairs of a service and a target. */
  readonly pairs: number
}

export interface SimulatedBalancer {
  readonly state: BalancerState
  /** As far back as it is known. */
  readonly loads: readonly Load[]
}

/** Typical values of each series for each pair. */
const typical: Readonly<Record<BalancerSeries, number>> = {
  open_connections: 3,
  connections_per_second: 2,
  requests_per_second: 9,
  'bandwidth.in': 4_000,
  'bandwidth.out': 32_000,
}

const mostLoads = 1_000

/** Creates the driver of Load Balancers. */
export function simulateLoadBalancers(site: Site) {
  const balancers = keptMap<number, SimulatedBalancer>(site, 'loadBalancers')
  const generations = new Generations(site, 'loadBalancers')
  const packets = site.part(simulatePackets)

  const put = (state: BalancerState, share: Share) => {
    const { id, generation } = state
    const known = balancers.get(id)
    if (!generations.admits(id, generation, known !== undefined)) return
    if (share === 'all') generations.see(id, generation)
    const wanted = share === 'all' ? state : { ...state, targets: [] }
    balancers.set(id, { state: wanted, loads: loadsAfter(known?.loads ?? [], wanted, site.clock.now()) })
  }

  const remove = (id: number, generation: number | null, share: Share) => {
    if (share === 'half') return
    if (generation !== null) {
      if (generations.isStale(id, generation)) return
      generations.see(id, generation)
    }
    balancers.delete(id)
  }

  const observed = ({ state, loads }: SimulatedBalancer): Observation => ({
    generation: state.generation,
    health: state.services.flatMap((service) =>
      state.targets.map((target) => {
        const { listenPort } = service
        return { listenPort, address: target.address, health: healthOf(packets, state, service, target) }
      }),
    ),
    traffic: trafficOf(loads, site.clock.now()),
  })

  const driver: LoadBalancerDriver = {
    apply: (state) =>
      site.perform({ driver: 'loadBalancers', method: 'apply', subject: state.id }, (share) => put(state, share)),
    remove: (id, generation) =>
      site.perform({ driver: 'loadBalancers', method: 'remove', subject: id }, (share) =>
        remove(id, generation, share),
      ),
    async observe(ids) {
      const known = ids.flatMap((id) => balancers.get(id) ?? [])
      return new Map(known.map((balancer) => [balancer.state.id, observed(balancer)]))
    },
    async measure(id, series, moments) {
      const loads = balancers.get(id)?.loads ?? []
      return new Map(
        moments.flatMap((moment) => {
          const load = loads.findLast(({ atMs }) => atMs <= moment * 1_000)
          return load ? [[moment, usualAt(`${id} ${series}`, load.pairs * typical[series], moment)]] : []
        }),
      )
    },
    // It carries no traffic, so that nothing is missed before it is asked.
    inventory: async () => undefined,
  }
  return {
    drivers: { loadBalancers: driver },
    world: { loadBalancers: balancers as ReadonlyMap<number, SimulatedBalancer> },
    certain: ['loadBalancers.observe', 'loadBalancers.measure', 'loadBalancers.inventory'],
  }
}

/** What a health check would find: no answer where a packet would not arrive. */
function healthOf(
  packets: ReturnType<typeof simulatePackets>,
  { publicAddresses }: BalancerState,
  { healthCheck }: BalancerService,
  { server, address, network }: BalancerTarget,
): Health {
  if (server === null) return { status: 'healthy' }
  // Packet filters stand between a server and its public network alone.
  const arrives =
    network !== null
      ? packets.isOn(server)
      : packets.arrives({
          from: { server: null, address: publicAddresses[0] ?? address, isPrivate: false },
          to: { server, address, isPrivate: false },
          protocol: 'tcp',
          port: healthCheck.port,
        })
  return arrives ? { status: 'healthy' } : { status: 'unhealthy', detail: 'layer4_timeout', httpStatusCode: null }
}

function loadsAfter(loads: readonly Load[], { services, targets }: BalancerState, atMs: number): readonly Load[] {
  const pairs = services.length * targets.length
  return loads.at(-1)?.pairs === pairs ? loads : [...loads, { atMs, pairs }].slice(-mostLoads)
}

/** The bytes of the month of a moment (UTC). */
function trafficOf(loads: readonly Load[], nowMs: number): Observation['traffic'] {
  const now = new Date(nowMs)
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth())
  const pairSeconds = loads.reduce((sum, { atMs, pairs }, index) => {
    const untilMs = Math.min(loads[index + 1]?.atMs ?? nowMs, nowMs)
    return sum + (pairs * Math.max(0, untilMs - Math.max(atMs, monthMs))) / 1_000
  }, 0)
  return {
    ingoing: Math.round(pairSeconds * typical['bandwidth.in']),
    outgoing: Math.round(pairSeconds * typical['bandwidth.out']),
  }
}
