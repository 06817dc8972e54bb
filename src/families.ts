/** The list of all families, each with its simulated drivers. Adding a family takes one line here. */
import { simulateCertificates } from './drivers/simulated/certificates.ts'
import { simulateFirewalls } from './drivers/simulated/firewalls.ts'
import { simulateFloatingIps } from './drivers/simulated/floating-ips.ts'
import { simulateImages } from './drivers/simulated/images.ts'
import { simulateLoadBalancers } from './drivers/simulated/load-balancers.ts'
import { simulateMemory } from './drivers/simulated/memory.ts'
import { simulateMetadata } from './drivers/simulated/metadata.ts'
import { simulateNetworks } from './drivers/simulated/networks.ts'
import { simulatePackets } from './drivers/simulated/packets.ts'
import { simulateConsoles } from './drivers/simulated/screens.ts'
import { simulateServers } from './drivers/simulated/servers.ts'
import { createSimulation, type MakePart, type SimulationOptions } from './drivers/simulated/simulation.ts'
import { simulateStorageBoxes } from './drivers/simulated/storage-boxes.ts'
import { simulateVolumes } from './drivers/simulated/volumes.ts'
import { simulateParents } from './drivers/simulated/zones/parents.ts'
import { addressLocks } from './families/addresses/tables.ts'
import { certificates } from './families/certificates/family.ts'
import { datacenters } from './families/datacenters/family.ts'
import { firewalls } from './families/firewalls/family.ts'
import { floatingIps } from './families/floating-ips/family.ts'
import { images } from './families/images/family.ts'
import { isos } from './families/isos/family.ts'
import { loadBalancerTypes } from './families/load-balancer-types/family.ts'
import { loadBalancers } from './families/load-balancers/family.ts'
import { locations } from './families/locations/family.ts'
import { networks } from './families/networks/family.ts'
import { placementGroups } from './families/placement-groups/family.ts'
import { pricing } from './families/pricing/family.ts'
import { primaryIps } from './families/primary-ips/family.ts'
import { serverTypes } from './families/server-types/family.ts'
import { servers } from './families/servers/family.ts'
import { sshKeys } from './families/ssh-keys/family.ts'
import { storageBoxTypes } from './families/storage-box-types/family.ts'
import { storageBoxes } from './families/storage-boxes/family.ts'
import { volumes } from './families/volumes/family.ts'
import { zones } from './families/zones/family.ts'
import { actionEndpoints } from './kernel/actions/contract.ts'
import { actionRoutes } from './kernel/actions/routes.ts'
import type { Locks } from './kernel/data/locks.ts'
import type { DefaultLimits } from './kernel/resource/limits.ts'
import { defineFamily, type Facilities, type Family } from './platform.ts'

/** The family of actions, which all others have. */
export const actions = defineFamily({
  spelling: { type: 'action', path: 'actions', title: 'action', titles: 'actions' },
  endpoints: actionEndpoints,
  routes: actionRoutes,
})

const members = [
  { family: actions },
  { family: certificates, simulate: simulateCertificates },
  { family: datacenters },
  { family: firewalls, simulate: simulateFirewalls },
  { family: floatingIps, simulate: simulateFloatingIps },
  { family: images, simulate: simulateImages },
  { family: isos },
  { family: loadBalancerTypes },
  { family: loadBalancers, simulate: simulateLoadBalancers },
  { family: locations },
  { family: networks, simulate: simulateNetworks },
  { family: placementGroups },
  { family: pricing },
  { family: primaryIps },
  { family: serverTypes },
  { family: servers, simulate: simulateServers },
  { family: sshKeys },
  { family: storageBoxTypes },
  { family: storageBoxes, simulate: simulateStorageBoxes },
  { family: volumes, simulate: simulateVolumes },
  { family: zones, simulate: simulateParents },
] as const satisfies readonly { readonly family: Family; readonly simulate?: MakePart }[]

/** What capabilities tell of families, by their paths. */
export const facilities: Readonly<Record<string, Facilities>> = Object.fromEntries(
  members.flatMap(({ family: { name, facilities: told } }: { readonly family: Family }) =>
    told ? [[name, told]] : [],
  ),
)

type Simulated = Extract<(typeof members)[number], { readonly simulate: MakePart }>

/** Further parts of the infrastructure. */
const otherParts = [simulatePackets, simulateConsoles, simulateMetadata, simulateMemory]

export const families: readonly Family[] = members.map(({ family }) => family)

const paths = new Map(families.map(({ spelling: { type, path } }) => [type, path]))

/** The path of the family whose resources are of a type; the type itself for one that no family has any more. */
export function familyOfType(type: string): string {
  return paths.get(type) ?? type
}

export type Simulation = ReturnType<typeof simulate>

/** Creates an empty simulated infrastructure with the parts of all families. */
export function simulate(options: SimulationOptions) {
  const parts: (Simulated['simulate'] | (typeof otherParts)[number])[] = members.flatMap((member) =>
    'simulate' in member ? [member.simulate] : [],
  )
  return createSimulation([...parts, ...otherParts], options)
}

/** The lock orders that families declare; tests enforce them. */
export const familyLocks: readonly Locks[] = [addressLocks, ...families.map(({ locks }) => locks)]

/** The kinds of resources that can be limited per Project, as paths. */
export const limitedPaths: readonly string[] = families.flatMap(({ limited }) => limited.map(({ path }) => path)).sort()

/** Limits of Projects when the operator sets none. */
export const defaultLimits: DefaultLimits = Object.fromEntries(
  families.flatMap(({ limited }) => limited.flatMap(({ path, most }) => (most === undefined ? [] : [[path, most]]))),
)
