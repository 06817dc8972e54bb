/** Volumes, images, placement groups, the catalogue and zones for the hcloud command line. */
import type { datacenterEndpoints } from '../../../src/families/datacenters/contract.ts'
import type { imageEndpoints } from '../../../src/families/images/contract.ts'
import type { isoEndpoints } from '../../../src/families/isos/contract.ts'
import type { loadBalancerTypeEndpoints } from '../../../src/families/load-balancer-types/contract.ts'
import type { locationEndpoints } from '../../../src/families/locations/contract.ts'
import type { placementGroupEndpoints } from '../../../src/families/placement-groups/contract.ts'
import type { pricingEndpoints } from '../../../src/families/pricing/contract.ts'
import type { serverTypeEndpoints } from '../../../src/families/server-types/contract.ts'
import type { storageBoxTypeEndpoints } from '../../../src/families/storage-box-types/contract.ts'
import type { storageBoxEndpoints } from '../../../src/families/storage-boxes/contract.ts'
import type { volumeEndpoints } from '../../../src/families/volumes/contract.ts'
import type { actionEndpoints } from '../../../src/kernel/actions/contract.ts'
import {
  actionForms,
  type Forms,
  labelsOf,
  listed,
  noCommand,
  noOption,
  noValue,
  paging,
  protection,
  Refusal,
  sorted,
  usual,
} from './forms.ts'

export const volumes: Forms<typeof volumeEndpoints> = {
  ...actionForms,
  ...usual('volume', { status: noOption }),
  create: {
    words: ['volume', 'create'],
    fields: {
      name: '--name',
      size: '--size',
      location: (value, { body }) => (body.server ? noValue : ['--location', String(value)]),
      server: '--server',
      automount: (value) => (value ? ['--automount'] : []),
      format: '--format',
      labels: '--label',
    },
  },
  update: { words: ['volume', 'update', '{id}'], fields: { name: '--name', labels: labelsOf('volume') } },
  attach: {
    words: ['volume', 'attach', '{id}'],
    fields: { server: '--server', automount: (value) => (value ? ['--automount'] : []) },
  },
  detach: { words: ['volume', 'detach', '{id}'], fields: {} },
  resize: { words: ['volume', 'resize', '{id}'], fields: { size: '--size' } },
  changeProtection: { words: [], fields: protection('volume', ['delete']) },
}

export const images: Forms<typeof imageEndpoints> = {
  ...actionForms,
  ...usual('image'),
  list: {
    words: ['image', 'list'],
    fields: {},
    query: {
      ...listed,
      type: '--type',
      architecture: '--architecture',
      status: noOption,
      bound_to: noOption,
      // hcloud always asks for them.
      include_deprecated: () => [],
    },
  },
  update: {
    words: ['image', 'update', '{id}'],
    fields: {
      description: '--description',
      // Whoever does not say the description empties it.
      type: (type, { body, known: { description } }) => {
        if (body.description !== undefined && body.description !== null) return ['--type', type]
        return description === undefined
          ? new Refusal('together', 'description')
          : ['--type', type, '--description', description]
      },
      labels: labelsOf('image'),
    },
  },
  changeProtection: { words: [], fields: protection('image', ['delete']) },
}

export const placementGroups: Forms<typeof placementGroupEndpoints> = {
  ...usual('placement-group', { type: noOption }),
  create: {
    words: ['placement-group', 'create'],
    fields: { name: '--name', type: '--type', labels: '--label' },
  },
  update: {
    words: ['placement-group', 'update', '{id}'],
    fields: { name: '--name', labels: labelsOf('placement-group') },
  },
}

const byName = { name: noOption }
const catalogue = (kind: string, query: object) => ({
  list: { words: [kind, 'list'], fields: {}, query: { ...byName, ...query } },
  get: { words: [kind, 'describe', '{id}'], fields: {} },
})

export const locations: Forms<typeof locationEndpoints> = catalogue('location', sorted)
export const datacenters: Forms<typeof datacenterEndpoints> = catalogue('datacenter', sorted)
export const serverTypes: Forms<typeof serverTypeEndpoints> = catalogue('server-type', paging)
export const loadBalancerTypes: Forms<typeof loadBalancerTypeEndpoints> = catalogue('load-balancer-type', paging)
export const isos: Forms<typeof isoEndpoints> = catalogue('iso', {
  ...paging,
  architecture: '--architecture',
  include_architecture_wildcard: (value: boolean) => (value ? ['--include-architecture-wildcard'] : []),
})

export const pricing: Forms<typeof pricingEndpoints> = { get: noCommand }

export const actions: Forms<typeof actionEndpoints> = { list: noCommand, get: noCommand }

const noBoxes = new Refusal('storageBoxes')

export const storageBoxTypes: Forms<typeof storageBoxTypeEndpoints> = { list: noBoxes }
export const storageBoxes: Forms<typeof storageBoxEndpoints> = { list: noBoxes }
