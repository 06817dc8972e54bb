/** What there is on the hosts of a cluster under marks of Wolke, whoever wants it. What has no mark is nobody's concern. */
import type { Incus } from './client.ts'
import { edit, type Instance } from './edit.ts'
import { imageMark } from './images.ts'
import { balancerName, isBalancer } from './load-balancers/instance.ts'
import {
  type Config,
  generationOf,
  idOf,
  idsIn,
  imageAlias,
  marksOf,
  networkName,
  serverName,
  volumeName,
} from './names.ts'
import type { IncusNetwork } from './networks.ts'
import type { Overlay, OverlayInventory, OverlayServer } from './ovn/overlay.ts'
import type { StoredVolume } from './volumes.ts'

export const kinds = ['server', 'volume', 'network', 'image', 'load_balancer'] as const
export type Kind = (typeof kinds)[number]

export interface Thing {
  readonly kind: Kind
  readonly id: number
  /** The newest one that it was changed under. */
  readonly generation: number
}

/** Generations by id. */
export type InForce = ReadonlyMap<number, number>

export interface Survey {
  readonly things: readonly Thing[]
  /** What is in force, by the table of the desired state. What is damaged is left out, as if it were not there. */
  readonly inForce: ReadonlyMap<string, InForce>
  /** What has a name of ours and no mark. */
  readonly unmarked: readonly Omit<Thing, 'generation'>[]
}

export interface SurveyParts {
  readonly incus: Incus
  readonly overlay: Overlay
  readonly pool: string
}

/** An image as Incus tells it. */
interface StoredImage {
  readonly fingerprint: string
  readonly aliases: readonly { readonly name: string }[]
  readonly properties: Config | null
}

/** Looks at everything that is on the hosts. Errors: `DriverError`. */
export async function survey({ incus, overlay, pool }: SurveyParts): Promise<Survey> {
  const [instances, volumes, networks, images, rows] = await Promise.all([
    incus.list<Instance>('/1.0/instances?recursion=1'),
    incus.list<StoredVolume>(`${volumesPath(pool)}?recursion=1`),
    incus.list<IncusNetwork>('/1.0/networks?recursion=1'),
    incus.list<StoredImage>('/1.0/images?recursion=1'),
    overlay.inventory(),
  ])
  const servers = sorted(
    'server',
    serverName,
    instances.filter((instance) => !isBalancer(instance)),
  )
  const balancers = sorted('load_balancer', balancerName, instances.filter(isBalancer))
  const disks = sorted('volume', volumeName, volumes)
  const nets = sorted('network', networkName, networks)
  const pictures = sortedImages(images)
  return {
    things: [
      ...servers.things,
      ...disks.things,
      ...nets.things,
      ...pictures.things,
      ...balancers.things,
      ...rowsAlone(rows, { server: servers.things, network: nets.things, load_balancer: balancers.things }),
    ],
    inForce: inForceOf(servers.marked, disks.things, nets.things, rows),
    unmarked: [...servers.unmarked, ...disks.unmarked, ...nets.unmarked, ...pictures.unmarked],
  }
}

/** Marks something by its name, which has lost its marks. Errors: `DriverError`. */
export async function remark({ incus, pool }: SurveyParts, { kind, id, generation }: Thing): Promise<void> {
  const marks = marksOf(id, generation)
  if (kind === 'image') {
    const alias = await incus.get<{ target: string }>(`/1.0/images/aliases/${imageAlias(id)}`)
    if (alias)
      await incus.change('PATCH', `/1.0/images/${alias.value.target}`, { properties: { [imageMark]: `${id}` } })
    return
  }
  const path = {
    server: `/1.0/instances/${serverName(id)}`,
    volume: `${volumesPath(pool)}/${volumeName(id)}`,
    network: `/1.0/networks/${networkName(id)}`,
    load_balancer: `/1.0/instances/${balancerName(id)}`,
  }[kind]
  await edit(incus, path, () => ({ config: marks }), { method: 'PATCH' })
}

const volumesPath = (pool: string) => `/1.0/storage-pools/${encodeURIComponent(pool)}/volumes/custom`

interface Named {
  readonly name: string
  /** Null on a host that does not answer. */
  readonly config: Config | null
}

/** Those that have the name and the mark of the same id, and those that have the name alone. */
function sorted<T extends Named>(kind: Kind, nameOf: (id: number) => string, all: readonly T[]) {
  const named = all.flatMap((one) => {
    const id = Number(/\d+$/.exec(one.name)?.[0])
    return one.name === nameOf(id) ? [{ one, id }] : []
  })
  const marked = new Map(named.filter(({ one, id }) => idOf(one.config) === id).map(({ one, id }) => [id, one]))
  return {
    marked,
    things: [...marked].map(([id, { config }]): Thing => ({ kind, id, generation: generationOf(config ?? {}) })),
    unmarked: named
      .filter(({ one }) => one.config !== null && idOf(one.config) === undefined)
      .map(({ id }) => ({ kind, id })),
  }
}

function sortedImages(images: readonly StoredImage[]) {
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

/** What only rows in the network are left of, as there is nothing else. */
function rowsAlone(
  { servers, networks, balancers }: OverlayInventory,
  besides: Readonly<Record<'server' | 'network' | 'load_balancer', readonly Thing[]>>,
): Thing[] {
  const remembered: Thing[] = [
    ...[...servers].map(([id, { generations }]): Thing => ({ kind: 'server', id, generation: generations.server })),
    ...[...networks].map(([id, { generation }]): Thing => ({ kind: 'network', id, generation })),
    ...[...balancers]
      .filter(([, { isForgotten }]) => !isForgotten)
      .map(([id, { generation }]): Thing => ({ kind: 'load_balancer', id, generation })),
  ]
  const there = new Set(Object.values(besides).flatMap((things) => things.map(keyOf)))
  return remembered.filter((one) => !there.has(keyOf(one)))
}

const keyOf = ({ kind, id }: Thing) => `${kind} ${id}`

function inForceOf(
  servers: ReadonlyMap<number, Instance>,
  volumes: readonly Thing[],
  networks: readonly Thing[],
  rows: OverlayInventory,
): ReadonlyMap<string, InForce> {
  const instances = [...servers].filter(([, { devices }]) => devices.eth0 && devices.root)
  const ofInstances = new Map(instances.map(([id, { config }]) => [id, generationOf(config)]))
  const inNetwork = (state: keyof OverlayServer['generations']) =>
    new Map(
      [...rows.servers]
        .filter(([, { damaged }]) => !damaged.has(state))
        .map(([id, { generations }]) => [id, generations[state]]),
    )
  const setsIn = (key: string, nameOf: (id: number) => string) =>
    new Map(
      [...servers]
        .filter(([, instance]) => hasSet(instance, key, nameOf))
        .map(([id, { config }]) => [id, generationOf(config, key)]),
    )
  const interfaces = [...setsIn('user.wolke.interfaces', networkName)].filter(([id]) => {
    const ids = idsIn(servers.get(id)!.config['user.wolke.interfaces']!)
    return ids.every((network) => rows.servers.get(id)?.places.has(network))
  })
  const routed = networks.filter(({ id }) => !rows.networks.get(id)?.isDamaged)
  const ranges = new Map(routed.map(({ id }) => [id, rows.networks.get(id)?.generation ?? -1]))
  return new Map<string, InForce>([
    ['server_state', agreeing(ofInstances, inNetwork('server'))],
    ['volume_state', new Map(volumes.map(({ id, generation }) => [id, generation]))],
    ['network_state', ranges],
    ['volume_attachment', setsIn('user.wolke.volumes', volumeName)],
    ['network_interfaces', agreeing(new Map(interfaces), inNetwork('private'))],
    ['firewall_filter', inNetwork('filter')],
    ['floating_ip_routing', inNetwork('routing')],
  ])
}

/** What both engines have; where one is behind the other, the older generation counts. */
function agreeing(a: InForce, b: InForce): InForce {
  return new Map([...a].flatMap(([id, generation]) => (b.has(id) ? [[id, Math.min(generation, b.get(id)!)]] : [])))
}

/** Whether an instance has the set that is noted, device by device. */
function hasSet({ config, devices }: Instance, key: string, nameOf: (id: number) => string): boolean {
  const mark = config[key]
  return mark !== undefined && idsIn(mark).every((id) => nameOf(id) in devices)
}
