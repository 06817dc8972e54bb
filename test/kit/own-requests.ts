/** Requests for what only Wolke has, from the proofs of its parts, as requests.ts has them for the public API. */
import assert from 'node:assert/strict'
import { bodies as ofFaults } from '../../src/lab/faults/proof.ts'
import { bodies as ofLab } from '../../src/lab/proof.ts'
import { bodies as ofSeed } from '../../src/lab/seed/proof.ts'
import { bodies as ofManagement, pathIn, placeIn, type SamplePaths } from '../../src/management/proof.ts'
import { ownEndpoints } from '../../src/pages/openapi.ts'
import { type Named, namedIn, bodies as ofPeople } from '../../src/people/proof.ts'
import { queries as ofReachability } from '../../src/reachability/proof.ts'
import type { World } from './harness.ts'
import { neverExisted } from './proof.ts'
import { proofs, samples } from './proofs.ts'

export const ownRows = ownEndpoints().map((row) => ({ ...row, name: `${row.family}.${row.key}` }) as const)
export type OwnRow = (typeof ownRows)[number]

/** What paths name. */
export interface OwnPlace {
  readonly place: SamplePaths
  readonly named: Named
  /** A resource of the family, where the path is of one. */
  readonly resource?: number
}

/** A Project with something of each kind that the path of a row names. */
export async function ownPlaceIn(
  world: World,
  project: number,
  { endpoint }: Pick<OwnRow, 'endpoint'>,
): Promise<OwnPlace> {
  // Every Project has room for some of these alone.
  const named = endpoint.path.includes('{id}') ? await namedIn(world, project) : nothingIn(project).named
  const ofFamily = samples[endpoint.path.split('/')[1]!]
  const resource = ofFamily?.isShared ? undefined : await ofFamily?.prepare(world)
  if (resource) return { place: await placeIn(world, project), named, resource: resource.id }
  return { place: await placeIn(world, project), named }
}

/** A Project in which nothing is what paths name. */
export function nothingIn(project: number): OwnPlace {
  const [token, person, mail] = Array(3).fill(neverExisted) as [number, number, number]
  const [people, invitations, credentials, sessions] = Array(4).fill(neverExisted) as [number, number, number, number]
  return { place: { project, token, person, mail }, named: { people, invitations, credentials, sessions } }
}

/** Locations are the same for everybody. */
const anyLocation = 1

const bodies: Readonly<Record<string, Readonly<Record<string, (place: SamplePaths) => unknown>>>> = {
  faults: ofFaults,
  lab: ofLab,
  seed: ofSeed,
  management: ofManagement,
  people: ofPeople,
}
const queries: Readonly<Record<string, Readonly<Record<string, object>>>> = { reachability: ofReachability }

/** A request for an endpoint: its path below the base of what only Wolke has, and its body. */
export function ownRequest({ family, key, endpoint }: OwnRow, { place, named, resource }: OwnPlace) {
  const make = bodies[family]?.[key] ?? proofs.get(family)?.own?.[key]
  assert.ok(make || !endpoint.body, 'its proof has no request for it')
  const path = pathIn(place, endpoint).replace(
    /(\w+)\/\{id\}/,
    (_, of: keyof Named) => `${of}/${named[of] ?? resource ?? anyLocation}`,
  )
  const query = queries[family]?.[key] ?? proofs.get(family)?.ownQueries?.[key]
  const search = query ? `?${new URLSearchParams({ ...query } as Record<string, string>)}` : ''
  return { path: path + search, ...(make ? { body: make(place) } : {}) }
}
