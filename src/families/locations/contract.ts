/** Locations on the wire (spec: Location, Locations). They come from the catalogue; nobody writes them through the API. */
import { Type } from 'typebox'
import { defineEndpoints, Id, Meta, named, paging, sorting, textParam } from '../../kernel/contract/contract.ts'

export const Location = named('Location', {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  country: Type.String(),
  city: Type.String(),
  latitude: Type.Number(),
  longitude: Type.Number(),
  network_zone: Type.String(),
})

const section = 'Locations'

export const spelling = { type: 'location', path: 'locations', title: 'location', titles: 'locations' } as const

export const locationEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/locations',
    summary: 'List locations',
    section,
    query: { name: textParam('Exact name'), ...sorting(['id', 'name']), ...paging },
    status: 200,
    reply: Type.Object({ locations: Type.Array(Location), meta: Meta }),
    errors: [],
  },
  get: {
    method: 'GET',
    isShared: true,
    needs: 'viewer',
    path: '/locations/{id}',
    summary: 'Get a location',
    section,
    status: 200,
    reply: Type.Object({ location: Location }),
    errors: [],
  },
})
