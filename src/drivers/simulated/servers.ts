/** Simulated servers. */
import type { ServerDriver, ServerState } from '../../families/servers/driver.ts'
import { measuredOf, type PowerChange } from './measurements.ts'
import { simulateMemory } from './memory.ts'
import { simulatePackets } from './packets.ts'
import { keptMap, type Share, type Site } from './simulation.ts'

export interface SimulatedServer {
  readonly state: ServerState
  readonly power: 'on' | 'off'
  /** When it got power and lost it, as far back as it is known. */
  readonly changes: readonly PowerChange[]
  /** How often the server was restarted. */
  readonly restarts: number
  /** How often an image was written to the server's disk. */
  readonly installs: number
  /** How often the root password was set in the running system. */
  readonly passwordResets: number
  /** What runs on it; null without power. */
  readonly system: 'disk' | 'rescue' | null
  /** What lets root into the rescue system that runs; the desired state has it until the boot only. */
  readonly rescuePasswordHash: string | null
}

/** Creates the driver of servers. Other parts attach their own state to a server with `put` and `onRemoval`. */
export function simulateServers(site: Site) {
  const servers = keptMap<number, SimulatedServer>(site, 'servers')
  const generations = site.part(simulateMemory).generations('servers')
  const packets = site.part(simulatePackets)
  const listeners: ((id: number) => void)[] = []
  const changeListeners: ((server: SimulatedServer) => void)[] = []

  const put = (state: ServerState, share: Share) => {
    const known = servers.get(state.id)
    if (!generations.admits(state.id, state.generation, known !== undefined)) return
    if (share === 'all') generations.see(state.id, state.generation)
    const server = share === 'all' ? finished(state, known) : unfinished(state, known)
    const addresses = [server.state.ipv4, server.state.ipv6].filter((address) => address !== null)
    const changed = { ...server, changes: changesOf(known, server.power, site.clock.now()) }
    servers.set(state.id, changed)
    for (const listener of changeListeners) listener(changed)
    packets.putHost(state.id, { isOn: server.power === 'on', addresses })
  }

  const remove = (id: number, generation: number, share: Share) => {
    if (generations.isStale(id, generation)) return
    for (const listener of listeners) listener(id)
    if (share === 'half') return
    generations.see(id, generation)
    servers.delete(id)
    packets.removeHost(id)
  }

  const driver: ServerDriver = {
    // They are in the memory of one process.
    remembers: async () => false,
    apply: (state) =>
      site.perform({ driver: 'servers', method: 'apply', subject: state.id }, (share) => put(state, share)),
    remove: (id, generation) =>
      site.perform({ driver: 'servers', method: 'remove', subject: id }, (share) => remove(id, generation, share)),
    async measure({ id, created, power, cores }, series, moments) {
      // A process that has not touched the server takes it to have always been as it is.
      const changes = servers.get(id)?.changes ?? [{ atMs: Date.parse(created), power }]
      return measuredOf({ id, cores, changes }, series, moments)
    },
  }
  return {
    drivers: { servers: driver },
    world: { servers: servers as ReadonlyMap<number, SimulatedServer> },
    certain: ['servers.measure', 'servers.remembers'],
    put,
    /** Registers a listener for servers that were changed. */
    onChange: (listener: (server: SimulatedServer) => void) => void changeListeners.push(listener),
    /** Registers a listener for the ids of removed servers, so that other parts can drop their state. */
    onRemoval: (listener: (id: number) => void) => void listeners.push(listener),
  }
}

const mostChanges = 1_000

function changesOf(known: SimulatedServer | undefined, power: 'on' | 'off', atMs: number): readonly PowerChange[] {
  const changes = known?.changes ?? []
  return changes.at(-1)?.power === power ? changes : [...changes, { atMs, power }].slice(-mostChanges)
}

/** The server after a complete change. The disk is written for a new server and for a new installation. */
function finished(state: ServerState, known: SimulatedServer | undefined): Omit<SimulatedServer, 'changes'> {
  const cycles = state.cycle !== null && state.cycle !== (known?.state.cycle ?? null)
  const installs = known === undefined || known.state.installation !== state.installation
  const resets = state.passwordReset !== null && state.passwordReset !== (known?.state.passwordReset ?? null)
  return {
    state,
    power: state.power,
    installs: (known?.installs ?? 0) + (installs ? 1 : 0),
    restarts: (known?.restarts ?? 0) + (cycles ? 1 : 0),
    passwordResets: (known?.passwordResets ?? 0) + (resets ? 1 : 0),
    ...afterBoot(state, known, cycles),
  }
}

/** What runs after a change: a boot goes to the rescue system if there is one, and nothing else changes what runs. */
function afterBoot(
  { power, rescue }: ServerState,
  known: SimulatedServer | undefined,
  restarts: boolean,
): Pick<SimulatedServer, 'system' | 'rescuePasswordHash'> {
  if (power === 'off') return { system: null, rescuePasswordHash: null }
  if (known && known.system !== null && !restarts) {
    return { system: known.system, rescuePasswordHash: known.rescuePasswordHash }
  }
  return { system: rescue ? 'rescue' : 'disk', rescuePasswordHash: rescue?.rootPasswordHash ?? null }
}

/** The server after half a change: power, disk, ISO, password and IPv4 address are not in the desired state. */
function unfinished(state: ServerState, known: SimulatedServer | undefined): Omit<SimulatedServer, 'changes'> {
  const { cycle = null, installation = null, passwordReset = null, iso = null } = known?.state ?? {}
  return {
    state: { ...state, cycle, installation, passwordReset, iso, ipv4: null },
    power: known?.power ?? 'off',
    installs: known?.installs ?? 0,
    restarts: known?.restarts ?? 0,
    passwordResets: known?.passwordResets ?? 0,
    system: known?.system ?? null,
    rescuePasswordHash: known?.rescuePasswordHash ?? null,
  }
}
