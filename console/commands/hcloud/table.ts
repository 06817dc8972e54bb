/** How every operation of the API is written for the hcloud command line. A family that is missing does not compile. */
import type { OperationFamily } from '../../api/operations.ts'
import { floatingIps, networks, primaryIps } from './addresses.ts'
import { certificates, firewalls } from './firewalls.ts'
import { type AnyCommand, Refusal } from './forms.ts'
import { loadBalancers } from './load-balancers.ts'
import {
  actions,
  datacenters,
  images,
  isos,
  loadBalancerTypes,
  locations,
  placementGroups,
  pricing,
  serverTypes,
  storageBoxes,
  storageBoxTypes,
  volumes,
} from './others.ts'
import { servers, sshKeys } from './servers.ts'
import { zones } from './zones.ts'

/** Those of the public API: hcloud knows nothing of people, Projects and what only Wolke has. */
type ApiFamily = Exclude<OperationFamily, 'audit' | 'lab' | 'management' | 'people'>

const families = {
  actions,
  certificates,
  datacenters,
  firewalls,
  floating_ips: floatingIps,
  images,
  isos,
  load_balancer_types: loadBalancerTypes,
  load_balancers: loadBalancers,
  locations,
  networks,
  placement_groups: placementGroups,
  pricing,
  primary_ips: primaryIps,
  server_types: serverTypes,
  servers,
  ssh_keys: sshKeys,
  storage_box_types: storageBoxTypes,
  storage_boxes: storageBoxes,
  volumes,
  zones,
} satisfies Readonly<Record<ApiFamily, object>>

/** The minor version of hcloud that was the first to have the commands of a family. */
const firstVersions: Readonly<Record<string, number>> = { zones: 54 }

/** The forms by operation, such as `servers_create`. */
export const hcloudForms: Readonly<Record<string, AnyCommand | Refusal>> = Object.fromEntries(
  Object.entries(families).flatMap(([family, forms]) =>
    Object.entries(forms as Readonly<Record<string, AnyCommand | Refusal>>).map(([key, form]) => {
      const since = firstVersions[family]
      return [`${family}_${key}`, since === undefined || form instanceof Refusal ? form : { since, ...form }]
    }),
  ),
)
