/**
 * The families of resources that a Project holds, once: what they are called, their sign, and where their pages are.
 * Navigation, palette, feeds and what pages share are made from it. A family that the API has and this lacks does not
 * compile.
 */

import type { OperationId } from '../api/operations.ts'
import { familyOf } from '../api/operations.ts'
import type { IconName } from '../ui/icon.tsx'
import type { Route } from '../ui/link.tsx'
import { shell } from '../words/shell.ts'

const w = shell.navigation

/** `servers`: resources are what can be deleted one by one. */
export type Family = { [Id in OperationId]: Id extends `${infer Name}_remove` ? Name : never }[OperationId]

interface FamilyEntry {
  /** What its resources are called together, as in the navigation. */
  readonly label: string
  readonly icon: IconName
  /** The page that lists them. */
  readonly list: Route
  /** The page of one of them; families without one have all there is in the list. */
  readonly one?: Route
  /** What that page opens first, unless it decides by itself. */
  readonly tab?: string
}

export const families: Readonly<Record<Family, FamilyEntry>> = {
  servers: {
    label: w.servers,
    icon: 'server',
    list: '/projects/$project/servers',
    one: '/projects/$project/servers/$id/{-$tab}',
  },
  firewalls: {
    label: w.firewalls,
    icon: 'firewall',
    list: '/projects/$project/firewalls',
    one: '/projects/$project/firewalls/$id/{-$tab}',
    tab: 'rules',
  },
  floating_ips: { label: w.floatingIps, icon: 'ip', list: '/projects/$project/floating-ips' },
  primary_ips: { label: w.primaryIps, icon: 'primary', list: '/projects/$project/primary-ips' },
  load_balancers: {
    label: w.balancers,
    icon: 'balance',
    list: '/projects/$project/load-balancers',
    one: '/projects/$project/load-balancers/$id/{-$tab}',
  },
  volumes: {
    label: w.volumes,
    icon: 'volume',
    list: '/projects/$project/volumes',
    one: '/projects/$project/volumes/$id',
  },
  networks: {
    label: w.networks,
    icon: 'network',
    list: '/projects/$project/networks',
    one: '/projects/$project/networks/$id',
  },
  images: { label: w.images, icon: 'image', list: '/projects/$project/images', one: '/projects/$project/images/$id' },
  certificates: {
    label: w.certificates,
    icon: 'cert',
    list: '/projects/$project/certificates',
    one: '/projects/$project/certificates/$id',
  },
  zones: {
    label: w.zones,
    icon: 'zone',
    list: '/projects/$project/zones',
    one: '/projects/$project/zones/$zone/{-$tab}',
  },
  placement_groups: { label: w.placementGroups, icon: 'spread', list: '/projects/$project/placement-groups' },
  ssh_keys: { label: w.keys, icon: 'key', list: '/projects/$project/security/ssh-keys' },
}

export function isFamily(name: string): name is Family {
  return Object.hasOwn(families, name)
}

/** The family of a list of the API: `servers` for `servers_list`. */
export function familyOfList(operation: string): Family | undefined {
  const name = operation.replace(/_list$/, '')
  return name !== operation && isFamily(name) ? name : undefined
}

export function familyOfType(type: string): Family | undefined {
  const name = familyOf(type)
  return isFamily(name) ? name : undefined
}
