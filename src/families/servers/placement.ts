/** What a request for a server asks for, resolved against the catalogue and the Project (spec: Servers). */

import { type Catalogue, type Location, type ServerType, serverTypeOrderable } from '../../catalogue/catalogue.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { toIdOrName } from '../../kernel/contract/contract.ts'
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { type ApiError, invalidInput, type Problem } from '../../kernel/errors.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { isHostName } from '../../protocols/net/hostnames.ts'
import { locationOfDatacenter } from '../datacenters/reads.ts'
import { images } from '../images/effects.ts'
import { findTemplate, outOfReach, type Template, unfitFor } from '../images/reads.ts'
import { sshKeysNamed } from '../ssh-keys/reads.ts'
import type { CreateBody } from './attachment.ts'
import { attachments } from './attachments.ts'
import { serverChanges } from './changes.ts'

/** Longest user data, in characters. */
const maxUserData = 32_768
const userDataTooLong = `Length must be between 0 and ${maxUserData}.`

export interface Placement {
  readonly type: ServerType
  readonly location: Location
  readonly image: Template
}

/** Finds type, image and location. Errors: `invalid_input` that names what is unknown or does not fit together. */
export async function placeServer(
  { catalogue, clock, db, infrastructureOf }: Platform,
  scope: ProjectScope,
  body: CreateBody,
): Promise<Placement> {
  const now = clock.now()
  const type = byIdOrName(body.server_type, catalogue.serverTypeById, catalogue.serverTypeByName)
  const problems: Problem[] = []
  if (!type) problems.push({ field: 'server_type', message: 'server type not found' })
  const image = await findTemplate(db.query, scope, catalogue, toIdOrName(body.image), type?.architecture)
  if (!image) problems.push({ field: 'image', message: 'image not found' })
  const asked = locationAsked(catalogue, body, now)
  const location = findLocation(catalogue, asked ?? (await placeAsked(db.query, scope, body)), type, now)
  // Without a wish an unknown type has no location either, which is not the location's fault.
  if (!location && (type || asked !== undefined)) problems.push({ field: 'location', message: 'location not found' })
  if (!type || !image || !location) throw invalidInput(problems)
  if (!serverTypeOrderable(type, location.id, now)) throw unsupportedLocation(catalogue, type, now)
  const problem = unfitFor(image, type, now) ?? outOfReach(image, location.id, infrastructureOf)
  if (problem) throw invalidInput([{ field: 'image', message: problem }])
  return { type, location, image }
}

/** What a number or text names. */
export function byIdOrName<T>(
  value: number | string,
  byId: (id: number) => T | undefined,
  byName: (name: string) => T | undefined,
): T | undefined {
  const key = toIdOrName(value)
  return 'id' in key ? byId(key.id) : byName(key.name)
}

/** Until July 2026 a datacenter could be named instead of a location. Errors: `invalid_input` since then. */
function locationAsked(catalogue: Catalogue, body: CreateBody, now: number): number | string | undefined {
  const { datacenter, location } = body
  if (datacenter === undefined) return location
  const problem = { field: 'datacenter', message: 'unknown field' }
  if (inEffect(serverChanges.server_datacenter_removed, now)) {
    throw invalidInput([problem], "invalid input: unknown field name 'datacenter'")
  }
  if (location !== undefined) throw invalidInput([{ field: 'datacenter', message: 'excludes location' }])
  const found = locationOfDatacenter(catalogue.locations, toIdOrName(datacenter))
  if (!found) throw invalidInput([{ field: 'datacenter', message: 'datacenter not found' }])
  return found.id
}

/** Where what the request names already is, such as a volume. */
async function placeAsked(query: Queries, scope: ProjectScope, body: CreateBody): Promise<number | undefined> {
  for (const { placeOf } of attachments) {
    const place = await placeOf?.(query, scope, body)
    if (place !== undefined) return place
  }
  return undefined
}

/** Without a wish: the first location that recommends the type, else the first that offers it. */
function findLocation(
  catalogue: Catalogue,
  value: number | string | undefined,
  type: ServerType | undefined,
  now: number,
): Location | undefined {
  if (value !== undefined) return byIdOrName(value, catalogue.locationById, catalogue.locationByName)
  const offered = type ? locationsOffering(type, now) : []
  const chosen = offered.find((place) => place.recommended && place.available) ?? offered[0] ?? type?.locations[0]
  return chosen && catalogue.locationById(chosen.id)
}

function locationsOffering(type: ServerType, now: number): ServerType['locations'] {
  return type.locations.filter(({ id }) => serverTypeOrderable(type, id, now))
}

/** Says where the type can be ordered instead, in the message itself: command lines show no details. */
function unsupportedLocation(catalogue: Catalogue, type: ServerType, now: number): ApiError {
  const names = locationsOffering(type, now).map(({ id }) => catalogue.locationById(id)?.name)
  const where = names.length > 0 ? `is available in ${names.join(', ')}` : 'is no longer available in any location'
  const message = `unsupported location for server type: ${type.name} ${where}`
  return invalidInput([{ field: 'location', message }], message)
}

/** Keeps an image of the Project from being deleted until the transaction ends. Errors: `invalid_input` when it is gone. */
export async function holdTemplate(tx: Transaction, scope: ProjectScope, image: Template): Promise<void> {
  if (image.isOwn && !(await images.hold(tx, scope, [image.id])).has(image.id)) {
    throw invalidInput([{ field: 'image', message: 'image not found' }])
  }
}

/** Errors: `invalid_input` for user data that is too long. */
export function checkUserData(userData = ''): void {
  if (userData.length > maxUserData) throw invalidInput([{ field: 'user_data', message: userDataTooLong }])
}

const startlessText = 'a server without any network cannot be started'

/** The refusal to start a server that has no address, in public or in a network. */
export function withoutNetwork(): ApiError {
  return invalidInput([{ field: 'public_net', message: startlessText }], startlessText)
}

/** Errors: `invalid_input` for what the shape of the body alone cannot tell. */
export function checkRequest(body: CreateBody): void {
  const problems: Problem[] = []
  const refuse = (field: string, message: string) => problems.push({ field, message })
  const { networks = [], public_net: net = {}, user_data: userData = '' } = body
  if (!isHostName(body.name)) refuse('name', 'Name must be a valid hostname.')
  if (userData.length > maxUserData) refuse('user_data', userDataTooLong)
  for (const family of ['ipv4', 'ipv6'] as const) {
    if (net[family] && net[`enable_${family}`] === false)
      refuse(`public_net.${family}`, `excludes enable_${family}: false`)
  }
  if (!hasPublicNet(body)) {
    if (networks.length === 0 && body.start_after_create !== false) refuse('public_net', startlessText)
    if (body.firewalls?.length) refuse('firewalls', 'the server has no public network interface')
  }
  if (problems.length > 0) throw invalidInput(problems)
}

export function hasPublicNet({ public_net: { enable_ipv4 = true, enable_ipv6 = true } = {} }: CreateBody): boolean {
  return enable_ipv4 || enable_ipv6
}

/** The public keys that the request names. Errors: `invalid_input` for an unknown one. */
export async function requestedKeys(
  query: Queries,
  scope: ProjectScope,
  { ssh_keys: asked = [] }: Pick<CreateBody, 'ssh_keys'>,
): Promise<string[]> {
  const wanted = asked.map(toIdOrName)
  const found = await sshKeysNamed(query, scope, {
    ids: wanted.flatMap((key) => ('id' in key ? [key.id] : [])),
    names: wanted.flatMap((key) => ('name' in key ? [key.name] : [])),
  })
  const keys = wanted.map((key) => found.find((one) => ('id' in key ? one.id === key.id : one.name === key.name)))
  const missing = keys.indexOf(undefined)
  if (missing !== -1) throw invalidInput([{ field: `ssh_keys[${missing}]`, message: 'SSH key not found' }])
  return [...new Set(keys.map((key) => key!.publicKey))]
}
