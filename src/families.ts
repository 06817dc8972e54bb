/** Every family of resources. Adding one is one line here. */
import { certificates } from './families/certificates/family.ts'
import { datacenters } from './families/datacenters/family.ts'
import { firewalls } from './families/firewalls/family.ts'
import { floatingIps } from './families/floating-ips/family.ts'
import { images } from './families/images/family.ts'
import { locations } from './families/locations/family.ts'
import { serverTypes } from './families/server-types/family.ts'
import { servers } from './families/servers/family.ts'
import { sshKeys } from './families/ssh-keys/family.ts'
import { actionEndpoints } from './kernel/actions/contract.ts'
import { actionRoutes } from './kernel/actions/routes.ts'
import { defineFamily, type Family } from './platform.ts'

const actions = defineFamily({ name: 'actions', endpoints: actionEndpoints, routes: actionRoutes })

export const families: readonly Family[] = [
  actions,
  certificates,
  datacenters,
  firewalls,
  floatingIps,
  images,
  locations,
  serverTypes,
  servers,
  sshKeys,
]
