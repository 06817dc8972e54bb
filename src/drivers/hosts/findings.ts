/** Tells the operator whether a cluster has what Wolke needs. What a cluster cannot be opened without is checked before. */
import { DriverError } from '../../kernel/actions/define.ts'
import type { Incus } from '../../protocols/incus/client.ts'
import { balancerImage } from './balancers/instance.ts'
import type { Finding } from './finding.ts'
import { imageAliases } from './images/imports.ts'
import type { Media } from './images/media.ts'
import { architectures, type ClusterMember, membersOf } from './members.ts'
import { imageAlias, rescueName } from './names.ts'
import type { ClusterOptions } from './options.ts'
import type { Overlay } from './overlay/overlay.ts'

/** An image of the catalogue, by which servers are installed. */
export interface WantedImage {
  readonly id: number
  readonly name: string | null
  readonly architecture: keyof typeof architectures
}

interface ServerInfo {
  /** `driver` has what a daemon can run, such as `lxc | qemu`. */
  readonly environment: { readonly server_version: string; readonly driver: string }
}

export interface FindingParts {
  readonly incus: Incus
  readonly media: Media | undefined
  readonly overlay: Overlay
}

/** Looks at everything, also after something was not found. Errors: `DriverError` when nothing answers any more. */
export async function findings(
  { incus, media, overlay }: FindingParts,
  { uplink, instanceType }: ClusterOptions,
  images: readonly WantedImage[],
): Promise<Finding[]> {
  const [server, members] = await Promise.all([incus.get<ServerInfo>('/1.0'), membersOf(incus)])
  const found = members.map((member) => memberFound(incus, member, instanceType === 'virtual-machine'))
  const here = new Set(members.map(({ architecture }) => architecture))
  const wanted = images.filter(({ architecture }) => here.size === 0 || here.has(architectures[architecture]))
  return [
    { what: 'Incus', isFine: true, says: `version ${server?.value.environment.server_version}` },
    ...(await Promise.all(found)),
    await networkFound(incus, uplink),
    await hostsFollow(overlay),
    ...(await imagesFound(incus, wanted)),
    ...(media ? await mediaFound(media) : []),
  ]
}

async function memberFound(incus: Incus, member: ClusterMember, runsMachines: boolean): Promise<Finding> {
  const { server_name: name, status, url } = member
  const what = `host ${name}`
  if (status !== 'Online') return { what, isFine: false, says: `${status} at ${url}` }
  const lacks = runsMachines && !(await canRunMachines(incus, name))
  return { what, isFine: !lacks, says: `${status} at ${url}${lacks ? ', but cannot run virtual machines' : ''}` }
}

async function canRunMachines(incus: Incus, member: string): Promise<boolean> {
  const server = await incus.get<ServerInfo>(`/1.0?target=${encodeURIComponent(member)}`)
  return server?.value.environment.driver.split(' | ').includes('qemu') ?? false
}

async function networkFound(incus: Incus, name: string): Promise<Finding> {
  const found = await incus.get<{ type: string }>(`/1.0/networks/${encodeURIComponent(name)}`)
  return { what: `uplink ${name}`, isFine: found !== undefined, says: found ? found.value.type : 'is not there' }
}

/** Tells whether every host takes what is written into the network. */
async function hostsFollow(overlay: Overlay): Promise<Finding> {
  const start = performance.now()
  try {
    await overlay.converged()
    return { what: 'OVN', isFine: true, says: `all hosts follow within ${Math.ceil(performance.now() - start)} ms` }
  } catch (error) {
    if (!(error instanceof DriverError)) throw error
    return { what: 'OVN', isFine: false, says: error.message }
  }
}

/** Without all images of the catalogue servers can be installed from some; without any, from none. */
async function imagesFound(incus: Incus, images: readonly WantedImage[]): Promise<Finding[]> {
  const aliases = await imageAliases(incus)
  const isThere = ({ id }: WantedImage) => aliases.has(imageAlias(id))
  const missing = images.filter((image) => !isThere(image)).map(({ id, name }) => `${imageAlias(id)} (${name})`)
  const rest = missing.length === 0 ? '' : `; without ${missing.join(', ')}`
  return [
    {
      what: 'images',
      isFine: images.some(isThere),
      says: `${images.length - missing.length} of ${images.length} that the catalogue has for these hosts${rest}`,
    },
    {
      what: 'load balancers',
      isFine: true,
      says: aliases.has(balancerImage) ? 'on these hosts' : `not on these hosts: there is no image ${balancerImage}`,
    },
  ]
}

/** Servers do without them, but their locations then lack what they are for. */
async function mediaFound(media: Media): Promise<Finding[]> {
  const found = [...(await media.hostsByName())].map(
    ([name, hosts]) => [name, hosts.length === 0 ? name : `${name} on ${hosts.join(', ')}`] as const,
  )
  const rescue = new Map(found).get(rescueName)
  const isos = found.filter(([name]) => name !== rescueName).map(([, where]) => where)
  return [
    { what: 'rescue system', isFine: true, says: rescue ?? `not on these hosts: there is no ISO ${rescueName}` },
    { what: 'ISOs', isFine: true, says: isos.join('; ') || 'none' },
  ]
}
