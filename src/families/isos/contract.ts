/** ISOs on the wire (spec: ISO, ISOs). They come from the catalogue; nobody writes them through the API. */
import { Type } from 'typebox'
import { since, until } from '../../kernel/contract/as-of.ts'
import { kernelChanges } from '../../kernel/contract/changes.ts'
import {
  booleanParam,
  defineEndpoints,
  enumParam,
  Id,
  Meta,
  named,
  nullable,
  paging,
  Timestamp,
  textParam,
} from '../../kernel/contract/contract.ts'
import { Architecture, Deprecation } from '../server-types/contract.ts'
import { isoChanges } from './changes.ts'

export const Iso = named('Iso', {
  id: Id,
  name: nullable(Type.String()),
  description: Type.String(),
  type: Type.Enum(['public', 'private']),
  architecture: since(kernelChanges.architecture_added, nullable(Architecture)),
  deprecation: since(isoChanges.iso_deprecation_added, nullable(Deprecation)),
  deprecated: until(isoChanges.iso_deprecated_removed, nullable(Timestamp)),
})

const section = 'ISOs'

export const spelling = { type: 'iso', path: 'isos', title: 'ISO', titles: 'ISOs' } as const

export const isoEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/isos',
    summary: 'List the ISOs that can be attached to servers',
    section,
    query: {
      name: textParam('Exact name'),
      architecture: enumParam('Only ISOs for this architecture', ['x86', 'arm']),
      include_architecture_wildcard: booleanParam('With architecture: also ISOs that are not made for a certain one'),
      ...paging,
    },
    status: 200,
    reply: Type.Object({ isos: Type.Array(Iso), meta: Meta }),
    errors: [],
  },
  get: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/isos/{id}',
    summary: 'Get an ISO, also one that is no longer listed',
    section,
    status: 200,
    reply: Type.Object({ iso: Iso }),
    errors: [],
  },
})
