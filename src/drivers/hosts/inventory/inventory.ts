/**
 * Reads what there is on the hosts of a cluster under marks of Wolke, whoever wants it. Things without a mark are nobody's
 * concern.
 */

import type { Incus } from '../../../protocols/incus/client.ts'
import { type Config, edit, type Instance } from '../../../protocols/incus/edit.ts'
import type { Finding, InForce, Inventory, Thing } from '../../../reconcile/inventory.ts'
import { equipment } from '../balancers/guest.ts'
import { balancerMarks, balancerName, equipmentKey, hasDevices, isBalancer } from '../balancers/instance.ts'
import { imageMark } from '../images/images.ts'
import { generationOf, idOf, idsIn, imageAlias, marksOf, networkName, serverName, volumeName } from '../names.ts'
import type { IncusNetwork } from '../networks/networks.ts'
import type { Overlay, OverlayInventory, OverlaySubject } from '../overlay/overlay.ts'
import type { StoredVolume } from '../volumes/volumes.ts'

export interface SurveyParts {
  readonly incus: Incus
  readonly overlay: Pick<Overlay, 'inventory'>
  readonly pool: string
}

/** An image as Incus tells it. */
interface StoredImage {
  readonly fingerprint: string
  readonly aliases: readonly { readonly name: string }[]
  readonly properties: Config | null
}

/** Looks at everything that is on the hosts. Errors: `DriverError`. */
export async function survey({ incus, overlay, pool }: SurveyParts): Promise<Inventory> {
  const [instances, volumes, networks, images, rows] = await Promise.all([
    incus.list<Instance>('/1.0/instances?recursion=1'),
    incus.list<StoredVolume>(`${volumesPath(pool)}?recursion=1`),
    incus.list<IncusNetwork>('/1.0/networks?recursion=1'),
    incus.list<StoredImage>('/1.0/images?recursion=1'),
    overlay.inventory(),
  ])
  const named = {
    servers: sorted('server', serverName, instances),
    balancers: sorted('load_balancer', balancerName, instances, isBalancer),
    volumes: sorted('volume', volumeName, volumes),
    networks: sorted('network', networkName, networks),
  }
  const pictures = sortedImages(images)
  const all = [...Object.values(named), pictures]
  const things = all.flatMap((one) => one.things)
  return {
    things: [...things, ...rowsAlone(rows, things)],
    inForce: inForceOf(named, rows),
    unmarked: all.flatMap(({ unmarked }) => unmarked),
  }
}

/** Marks something by its name, which has lost its marks. Errors: `DriverError`. */
export async function remark({ incus, pool }: Omit<SurveyParts, 'overlay'>, thing: Thing): Promise<void> {
  const { kind, id, generation } = thing
  const config = marksOf(id, generation)
  const paths: Readonly<Record<Thing['kind'], () => Promise<unknown>>> = {
    server: () => mark(incus, `/1.0/instances/${serverName(id)}`, config),
    volume: () => mark(incus, `${volumesPath(pool)}/${volumeName(id)}`, config),
    network: () => mark(incus, `/1.0/networks/${networkName(id)}`, config),
    load_balancer: () => mark(incus, `/1.0/instances/${balancerName(id)}`, balancerMarks(id, generation)),
    image: () => markImage(incus, id),
  }
  await paths[kind]()
}

const mark = (incus: Incus, path: string, config: Config) => edit(incus, path, () => ({ config }), { method: 'PATCH' })

async function markImage(incus: Incus, id: number): Promise<void> {
  const alias = await incus.get<{ target: string }>(`/1.0/images/aliases/${imageAlias(id)}`)
  if (!alias) return
  await incus.change('PATCH', `/1.0/images/${alias.value.target}`, { properties: { [imageMark]: `${id}` } })
}

const volumesPath = (pool: string) => `/1.0/storage-pools/${encodeURIComponent(pool)}/volumes/custom`

interface Named {
  readonly name: string
  /** Null on a host that does not answer. */
  readonly config: Config | null
}

/** Things that have names of ours of one kind. */
interface Sorted<T> {
  /** Those that have the name and the marks of the same id. */
  readonly marked: ReadonlyMap<number, T>
  readonly things: readonly Thing[]
  /** Those that have the name alone. */
  readonly unmarked: Inventory['unmarked']
  /** Ids of what is on hosts that do not answer. */
  readonly silent: readonly number[]
}

function sorted<T extends Named>(
  kind: Thing['kind'],
  nameOf: (id: number) => string,
  all: readonly T[],
  isOfKind: (one: T) => boolean = () => true,
): Sorted<T> {
  const named = all.flatMap((one) => {
    const id = Number(/\d+$/.exec(one.name)?.[0])
    return one.name === nameOf(id) ? [{ one, id }] : []
  })
  const isMarked = ({ one, id }: (typeof named)[number]) => idOf(one.config) === id && isOfKind(one)
  // Something with the mark of another id is a copy that somebody has made.
  const isBare = ({ one, id }: (typeof named)[number]) =>
    one.config !== null && [undefined, id].includes(idOf(one.config)) && !isMarked({ one, id })
  const marked = new Map(named.filter(isMarked).map(({ one, id }) => [id, one]))
  return {
    marked,
    things: [...marked].map(([id, { config }]): Thing => ({ kind, id, generation: generationOf(config ?? {}) })),
    unmarked: named.filter(isBare).map(({ id }) => ({ kind, id })),
    silent: named.filter(({ one }) => one.config === null).map(({ id }) => id),
  }
}

function sortedImages(images: readonly StoredImage[]): Pick<Inventory, 'things' | 'unmarked'> {
  const things: Thing[] = []
  const unmarked: Omit<Thing, 'generation'>[] = []
  for (const { aliases, properties } of images) {
    const marked = Number(properties?.[imageMark])
    if (marked > 0) things.push({ kind: 'image', id: marked, generation: 0 })
    else
      for (const { name } of aliases) unmarked.push(...idsInAlias(name).map((id) => ({ kind: 'image', id }) as const))
  }
  return { things, unmarked }
}

const idsInAlias = (alias: string) => [/^wolke-(\d+)$/.exec(alias)?.[1]].flatMap((id) => (id ? [Number(id)] : []))

/** Things of which nothing but rows in the network is left. */
function rowsAlone({ servers, networks, balancers }: OverlayInventory, things: readonly Thing[]): Thing[] {
  const remembered: Thing[] = [
    ...[...servers].map(([id, { generations }]): Thing => ({ kind: 'server', id, generation: generations.server })),
    ...[...networks].map(([id, { generation }]): Thing => ({ kind: 'network', id, generation })),
    ...[...balancers].map(([id, { generations }]): Thing => {
      return { kind: 'load_balancer', id, generation: generations.server }
    }),
  ]
  const there = new Set(things.map(keyOf))
  return remembered.filter((one) => !there.has(keyOf(one)))
}

const keyOf = ({ kind, id }: Thing) => `${kind} ${id}`

interface NamedThings {
  readonly servers: Sorted<Instance>
  readonly balancers: Sorted<Instance>
  readonly volumes: Sorted<StoredVolume>
  readonly networks: Sorted<IncusNetwork>
}

const interfacesKey = 'user.wolke.interfaces'

function inForceOf({ servers, balancers, volumes, networks }: NamedThings, rows: OverlayInventory) {
  const interfaces = foundOf(servers, (server, id) => {
    const places = rows.servers.get(id)?.places
    const isPlaced = idsIn(server.config[interfacesKey] ?? '').every((network) => places?.has(network))
    return isPlaced ? setIn(server, interfacesKey, networkName) : 'changed'
  })
  return {
    server_state: agreeing(foundOf(servers, serverIn), inNetwork(rows.servers, 'server')),
    volume_state: foundOf(volumes, ({ config }) => generationOf(config)),
    network_state: foundOf(networks, (_, id) => {
      const { isDamaged = false, generation = -1 } = rows.networks.get(id) ?? {}
      return isDamaged ? 'changed' : generation
    }),
    volume_attachment: foundOf(servers, (server) => setIn(server, 'user.wolke.volumes', volumeName)),
    network_interfaces: agreeing(interfaces, inNetwork(rows.servers, 'private')),
    firewall_filter: inNetwork(rows.servers, 'filter'),
    floating_ip_routing: inNetwork(rows.servers, 'routing'),
    load_balancer_state: agreeing(
      foundOf(balancers, (balancer, id) => balancerIn(balancer, rows.balancers.get(id))),
      agreeing(inNetwork(rows.balancers, 'server'), inNetwork(rows.balancers, 'private')),
    ),
  } satisfies Inventory['inForce']
}

/** Tells what is found of all things that have names of ours; undefined is left out, as what is missing. */
function foundOf<T>({ marked, silent }: Sorted<T>, find: (one: T, id: number) => Finding | undefined): InForce {
  const unknown = silent.map((id) => [id, 'unknown'] as const)
  const known = [...marked].map(([id, one]) => [id, find(one, id)] as const)
  return new Map([...unknown, ...known].filter((pair): pair is [number, Finding] => pair[1] !== undefined))
}

/** Tells what rows of OVN have of one state. */
function inNetwork(subjects: ReadonlyMap<number, OverlaySubject>, state: keyof OverlaySubject['generations']): InForce {
  const found = ({ damaged, generations }: OverlaySubject) => (damaged.has(state) ? 'changed' : generations[state])
  return new Map([...subjects].map(([id, subject]) => [id, found(subject)]))
}

/** Keeps what both engines have: where one is behind the other, the older generation counts. */
function agreeing(a: InForce, b: InForce): InForce {
  const older = (one: Finding, other: Finding): Finding => {
    if (typeof one === 'string') return one
    return typeof other === 'string' ? other : Math.min(one, other)
  }
  return new Map(
    [...a].flatMap(([id, one]) => {
      // Rows alone do not tell whether something is there whose host does not answer.
      const other = one === 'unknown' ? one : b.get(id)
      return other === undefined ? [] : [[id, older(one, other)] as const]
    }),
  )
}

function serverIn({ config, devices }: Instance): Finding {
  return devices.eth0 && devices.root ? generationOf(config) : 'changed'
}

/** A balancer with an older program than this one's, or that never carried traffic, is to be equipped again. */
function balancerIn(instance: Instance, rows: OverlaySubject | undefined): Finding {
  const isEquipped = instance.config[equipmentKey] === equipment
  return isEquipped && hasDevices(instance, rows?.places ?? new Set()) ? generationOf(instance.config) : 'changed'
}

/** The set of things that an instance has, device by device; undefined when none was ever noted. */
function setIn({ config, devices }: Instance, key: string, nameOf: (id: number) => string): Finding | undefined {
  const set = config[key]
  if (set === undefined) return undefined
  return idsIn(set).every((id) => nameOf(id) in devices) ? generationOf(config, key) : 'changed'
}
