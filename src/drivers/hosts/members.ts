/** The members of the cluster: which one takes a new server, and which one is gone. */
import { DriverError } from '../../kernel/actions/define.ts'
import type { Incus } from '../../protocols/incus/client.ts'
import type { Instance } from '../../protocols/incus/edit.ts'
import { idOf, serverName } from './names.ts'
import { placementGroup } from './servers/instances.ts'

/** The names that Linux has for architectures. */
export const architectures = { x86: 'x86_64', arm: 'aarch64' } as const

/** A member as Incus tells it. */
export interface ClusterMember {
  readonly server_name: string
  readonly url: string
  readonly status: string
  /** As Linux calls it, such as `x86_64`. */
  readonly architecture: string
}

/** A member with what is on it, for the choice among them. */
export interface Candidate {
  readonly name: string
  readonly memoryMb: number
  /** The servers that are on it, running or not, and what they were promised. */
  readonly servers: ReadonlySet<number>
  readonly promisedMb: number
  readonly groups: ReadonlySet<number>
}

/** A new server needs this of its member. */
export interface Need {
  readonly memoryMb: number
  readonly placementGroup: number | null
}

/**
 * The member with the most memory that is not promised, among those without a server of the same placement group. Errors: a
 * permanent `DriverError` with the code of the API when there is none.
 */
export function place(candidates: readonly Candidate[], need: Need): string {
  const apart = candidates.filter(({ groups }) => need.placementGroup === null || !groups.has(need.placementGroup))
  if (apart.length === 0 && candidates.length > 0) {
    throw new DriverError('every host already runs a server of the placement group', {
      transient: false,
      code: 'placement_error',
    })
  }
  const freeOf = ({ memoryMb, promisedMb }: Candidate) => memoryMb - promisedMb
  const [best] = apart.toSorted((a, b) => freeOf(b) - freeOf(a) || (a.name < b.name ? -1 : 1))
  if (best && freeOf(best) >= need.memoryMb) return best.name
  throw new DriverError('no host has room for the server', { transient: false, code: 'resource_unavailable' })
}

/**
 * Chooses members for servers that are made at the same time: Incus shows each only once it has begun to make it, so that
 * what was chosen before counts as well.
 */
export class Placements {
  /** By server, until Incus shows it or it was made. */
  readonly #chosen = new Map<number, Need & { readonly member: string }>()

  /** The member for a server (see `place`). */
  choose(server: number, candidates: readonly Candidate[], { memoryMb, placementGroup }: Need): string {
    for (const { servers } of candidates) for (const id of servers) this.#chosen.delete(id)
    const member = place(
      candidates.map((one) => this.#withChosen(one)),
      { memoryMb, placementGroup },
    )
    this.#chosen.set(server, { memoryMb, placementGroup, member })
    return member
  }

  /** The server was made, so that Incus shows it as long as it is there, or it was not. */
  forget(server: number): void {
    this.#chosen.delete(server)
  }

  #withChosen(candidate: Candidate): Candidate {
    const here = [...this.#chosen.values()].filter(({ member }) => member === candidate.name)
    return {
      ...candidate,
      promisedMb: here.reduce((sum, { memoryMb }) => sum + memoryMb, candidate.promisedMb),
      groups: new Set([...candidate.groups, ...here.flatMap(({ placementGroup }) => placementGroup ?? [])]),
    }
  }
}

/** All members; none when Incus is no cluster. Errors: `DriverError`. */
export function membersOf(incus: Incus): Promise<readonly ClusterMember[]> {
  return incus.list<ClusterMember>('/1.0/cluster/members?recursion=1')
}

/** All hosts, and whether each is online; the only one where Incus is no cluster. Errors: `DriverError`. */
export async function hostsUp(incus: Incus): Promise<readonly { readonly name: string; readonly isUp: boolean }[]> {
  const members = await membersOf(incus)
  if (members.length > 0) return members.map(({ server_name: name, status }) => ({ name, isUp: status === 'Online' }))
  const only = await incus.get<{ environment: { server_name: string } }>('/1.0')
  return only ? [{ name: only.value.environment.server_name, isUp: true }] : []
}

/** What Linux calls the architectures of the members, or of the only daemon. Errors: `DriverError`. */
export async function architecturesOf(incus: Incus): Promise<ReadonlySet<string>> {
  const members = await membersOf(incus)
  if (members.length > 0) return new Set(members.map(({ architecture }) => architecture))
  const server = await incus.get<{ environment: { kernel_architecture: string } }>('/1.0')
  return new Set(server ? [server.value.environment.kernel_architecture] : [])
}

/**
 * The members that can take a server, which is not counted itself; none when Incus is no cluster. `overcommit` is how many
 * times its memory a member may promise. Errors: `DriverError`, a transient one when no member answers.
 */
export async function candidatesOf(incus: Incus, overcommit: number, server: number): Promise<readonly Candidate[]> {
  const [members, all] = await Promise.all([membersOf(incus), incus.list<Instance>('/1.0/instances?recursion=1')])
  const others = all.filter(({ name }) => name !== serverName(server))
  // The configuration of what is on a member that does not answer is null. Incus calls that one online for some seconds more.
  const silent = new Set(others.filter(({ config }) => config === null).map(({ location }) => location))
  const online = members.filter(({ status, server_name }) => status === 'Online' && !silent.has(server_name))
  const found = await Promise.all(
    online.map(async ({ server_name: name }) => {
      const here = others.filter(({ location }) => location === name)
      const memoryMb = await memoryOf(incus, name)
      return memoryMb === undefined ? [] : [candidateOf(name, memoryMb * overcommit, here)]
    }),
  )
  const candidates = found.flat()
  if (candidates.length > 0 || members.length === 0) return candidates
  throw new DriverError('no host answers', { transient: true, code: 'unavailable' })
}

function candidateOf(name: string, memoryMb: number, here: readonly Instance[]): Candidate {
  return {
    name,
    memoryMb,
    servers: new Set(here.flatMap(serverIn)),
    promisedMb: here.reduce((sum, instance) => sum + promisedMb(instance), 0),
    groups: new Set(here.flatMap(groupOf)),
  }
}

/** The member as if a server of a placement group were on it. */
export function withGroup(candidate: Candidate, group: number): Candidate {
  return { ...candidate, groups: new Set([...candidate.groups, group]) }
}

/** The id of the server that an instance is; Load Balancers have ids of their own. */
function serverIn({ name, config }: Instance): number[] {
  const id = idOf(config)
  return id !== undefined && name === serverName(id) ? [id] : []
}

/** Reads the memory of a member; undefined for one that does not answer. */
async function memoryOf(incus: Incus, member: string): Promise<number | undefined> {
  try {
    const state = await incus.get<{ sysinfo: { total_ram: number } }>(`/1.0/cluster/members/${member}/state`)
    return state && state.value.sysinfo.total_ram / 2 ** 20
  } catch (error) {
    if (error instanceof DriverError) return undefined
    throw error
  }
}

/** Only what Wolke made has a limit in the form that it writes. */
const promisedMb = ({ config }: Instance) =>
  idOf(config) === undefined ? 0 : Number.parseInt(config['limits.memory'] ?? '0', 10)

function groupOf({ config }: Instance): number[] {
  const group = Number(config[placementGroup] || Number.NaN)
  return Number.isNaN(group) ? [] : [group]
}

/** A member does not answer, so what is on it cannot be changed until it returns or is removed from the cluster. */
export class HostGone extends DriverError {
  constructor(member: string, cause: unknown) {
    super(`the host ${member} is gone`, { transient: true, code: 'unavailable', cause })
  }
}

/** Tells whether something is on one member by its location; otherwise all members have it. */
export const isMember = (location: string) => location !== '' && location !== 'none'

/**
 * Tells a call that failed because the member of an instance is gone apart from others. Errors: `HostGone`, or those of the
 * call.
 */
export function onMember<T>(incus: Incus, instance: string, call: () => Promise<T>): Promise<T> {
  return naming(incus, call, async () => {
    const filter = encodeURIComponent(`name eq ${instance}`)
    const found = await incus.list<Instance>(`/1.0/instances?recursion=1&filter=${filter}`)
    return found.map(({ location }) => location)
  })
}

/** The same for what Incus does on all members at once. */
export function onAllMembers<T>(incus: Incus, call: () => Promise<T>): Promise<T> {
  return naming(incus, call, async () => undefined)
}

/** The same for a call in which certain members take part; undefined stands for all. */
export async function naming<T>(
  incus: Incus,
  call: () => Promise<T>,
  places: () => Promise<readonly string[] | undefined>,
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof DriverError) || !error.transient) throw error
    const gone = await goneAmong(incus, places)
    throw gone === undefined ? error : new HostGone(gone, error)
  }
}

/** A member that is gone. What cannot be found out does not hide why the call failed. */
async function goneAmong(
  incus: Incus,
  places: () => Promise<readonly string[] | undefined>,
): Promise<string | undefined> {
  try {
    const [named, members] = await Promise.all([places(), membersOf(incus)])
    const part = members.filter(({ server_name: name }) => named?.includes(name) ?? true)
    const noticed = part.find(({ status }) => status !== 'Online')
    if (noticed) return noticed.server_name
    // Incus notices after seconds, and calls it online until then.
    const answers = await Promise.all(part.map(({ server_name: name }) => memoryOf(incus, name)))
    return part.find((_, index) => answers[index] === undefined)?.server_name
  } catch (error) {
    if (error instanceof DriverError) return undefined
    throw error
  }
}
