/** Servers as the API shows them, put together from several families with one read each for a whole list. */

import type { Static } from 'typebox'
import { lockedIds } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Queries } from '../../kernel/data/db.ts'
import { mapInTurns } from '../../kernel/process/turns.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { datacenterToWire } from '../datacenters/reads.ts'
import { imagesByIds, imageToWire, type OwnImage, ownImageToWire } from '../images/reads.ts'
import { isoToWire } from '../isos/reads.ts'
import { locationToWire } from '../locations/reads.ts'
import { serverTypeToWire } from '../server-types/reads.ts'
import type { ServerPart } from './attachment.ts'
import { attachments } from './attachments.ts'
import { serverChanges } from './changes.ts'
import type { Server as Wire } from './contract.ts'
import { isPassing, type Server } from './domain.ts'

type ServerWire = Static<typeof Wire>

/** The wire form of each server, in order. */
export async function serversToWire(
  platform: Platform,
  query: Queries,
  scope: ProjectScope,
  servers: readonly Server[],
): Promise<ServerWire[]> {
  const ids = servers.map((server) => server.id)
  const [locked, images, parts] = await Promise.all([
    lockedIds(query, scope, 'server', ids),
    ownImagesOf(platform, query, scope, servers),
    Promise.all(attachments.map(({ show }) => show?.(query, scope, ids))),
  ])
  return mapInTurns(servers, (server) => {
    const shown: ServerPart = {
      ...standingFacts(platform, server),
      image: imageOf(platform, images, server),
      // The action may end between the two reads: then what is shown is how it was before.
      locked: locked.has(server.id) || isPassing(server.status),
    }
    return withParts(
      shown,
      parts.map((part) => part?.(server.id) ?? {}),
    )
  })
}

/** Every field of a server is a fact of its own or shown by one of its attachments. */
function withParts(shown: ServerPart, parts: readonly ServerPart[]): ServerWire {
  const public_net = Object.assign({}, ...parts.map((part) => part.public_net))
  return Object.assign(shown, ...parts, { public_net }) as ServerWire
}

/** One server's wire form. */
export async function serverToWire(platform: Platform, query: Queries, scope: ProjectScope, server: Server) {
  return (await serversToWire(platform, query, scope, [server]))[0]!
}

/** The snapshots and backups that servers were made from, by id; those that were deleted are missing. */
async function ownImagesOf(
  { catalogue }: Platform,
  query: Queries,
  scope: ProjectScope,
  servers: readonly Server[],
): Promise<ReadonlyMap<number, OwnImage>> {
  const ids = servers.flatMap(({ imageId }) => (imageId === null || catalogue.imageById(imageId) ? [] : [imageId]))
  return new Map((await imagesByIds(query, scope, [...new Set(ids)])).map((image) => [image.id, image]))
}

function imageOf(
  { catalogue, clock }: Platform,
  own: ReadonlyMap<number, OwnImage>,
  { imageId }: Server,
): ServerWire['image'] {
  if (imageId === null) return null
  const known = catalogue.imageById(imageId)
  if (known) return imageToWire(known, clock.now())
  const image = own.get(imageId)
  return image ? ownImageToWire(image, clock.now()) : null
}

function standingFacts(
  { catalogue, clock }: Platform,
  server: Server,
): Omit<
  ServerWire,
  'public_net' | 'private_net' | 'locked' | 'image' | 'volumes' | 'placement_group' | 'load_balancers'
> {
  const type = catalogue.serverTypeById(server.serverTypeId)
  const location = catalogue.locationById(server.locationId)
  if (!type || !location) throw new Error(`the catalogue lacks the type or location of server ${server.id}`)
  const iso = server.isoId === null ? undefined : catalogue.isoById(server.isoId)
  const price = type.prices.find(({ location: name }) => name === location.name)
  return {
    id: server.id,
    name: server.name,
    status: server.status,
    created: server.created,
    server_type: serverTypeToWire(type, clock.now()),
    location: locationToWire(location),
    ...(inEffect(serverChanges.server_datacenter_removed, clock.now())
      ? {}
      : { datacenter: datacenterToWire(catalogue, location, clock.now()) }),
    iso: iso ? isoToWire(iso, clock.now()) : null,
    rescue_enabled: server.rescue !== null,
    backup_window: server.backupWindow,
    outgoing_traffic: null,
    ingoing_traffic: null,
    included_traffic: price?.included_traffic ?? null,
    protection: server.protection,
    labels: server.labels,
    primary_disk_size: server.primaryDiskSize,
  }
}
