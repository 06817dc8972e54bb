/** Servers as the API shows them, put together from several families with one read each for a whole list. */

import type { Static } from 'typebox'
import { lockedIds } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { constantFormWith } from '../../kernel/contract/constant.ts'
import type { Queries } from '../../kernel/data/db.ts'
import { type AtOnce, after, together } from '../../kernel/process/at-once.ts'
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

/** The wire form of each server, in order: the same as long as nothing that it shows has changed. */
export function serversToWire(
  platform: Platform,
  query: Queries,
  scope: ProjectScope,
  servers: readonly Server[],
): AtOnce<readonly ServerWire[]> {
  const ids = servers.map((server) => server.id)
  const read = together([
    lockedIds(query, scope, 'server', ids),
    ownImagesOf(platform, query, scope, servers),
    together(shownAttachments.map((show) => show(query, scope, ids))),
  ])
  return after(read, ([locked, images, parts]) =>
    mapInTurns(servers, (server) =>
      toWire(
        server,
        // The action may end between the two reads: then what is shown is how it was before.
        locked.has(server.id) || isPassing(server.status),
        imageOf(platform, images, server),
        ...namedBy(platform, server),
        ...parts.map((part) => part(server.id)),
      ),
    ),
  )
}

const shownAttachments = attachments.flatMap(({ show }) => show ?? [])

/** One server's wire form. */
export async function serverToWire(platform: Platform, query: Queries, scope: ProjectScope, server: Server) {
  return (await serversToWire(platform, query, scope, [server]))[0]!
}

/** The snapshots and backups that servers were made from, by id; those that were deleted are missing. */
function ownImagesOf(
  { catalogue }: Platform,
  query: Queries,
  scope: ProjectScope,
  servers: readonly Server[],
): AtOnce<ReadonlyMap<number, OwnImage>> {
  const ids = servers.flatMap(({ imageId }) => (imageId === null || catalogue.imageById(imageId) ? [] : [imageId]))
  return after(
    imagesByIds(query, scope, [...new Set(ids)]),
    (images) => new Map(images.map((image) => [image.id, image])),
  )
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

/** What the catalogue says of what a server names. */
function namedBy({ catalogue, clock }: Platform, { id, serverTypeId, locationId, isoId }: Server): Named {
  const now = clock.now()
  const type = catalogue.serverTypeById(serverTypeId)
  const location = catalogue.locationById(locationId)
  if (!type || !location) throw new Error(`the catalogue lacks the type or location of server ${id}`)
  const iso = isoId === null ? undefined : catalogue.isoById(isoId)
  const isWithDatacenter = !inEffect(serverChanges.server_datacenter_removed, now)
  return [
    serverTypeToWire(type, now),
    locationToWire(location),
    isWithDatacenter ? datacenterToWire(catalogue, location, now) : undefined,
    iso ? isoToWire(iso, now) : null,
    type.prices.find(({ location: name }) => name === location.name)?.included_traffic ?? null,
  ]
}

type Named = readonly [
  type: ServerWire['server_type'],
  location: ServerWire['location'],
  datacenter: ServerWire['datacenter'],
  iso: ServerWire['iso'],
  includedTraffic: ServerWire['included_traffic'],
]

type Shown = readonly [locked: boolean, image: ServerWire['image'], ...Named, ...ServerPart[]]

/** Every field of a server is a fact of its own or shown by one of its attachments. */
const toWire = constantFormWith((server: Server, ...shown: Shown): ServerWire => {
  const [locked, image, server_type, location, datacenter, iso, included_traffic, ...parts] = shown
  const own: ServerPart = {
    id: server.id,
    name: server.name,
    status: server.status,
    created: server.created,
    server_type,
    location,
    ...(datacenter === undefined ? {} : { datacenter }),
    iso,
    rescue_enabled: server.rescue !== null,
    backup_window: server.backupWindow,
    outgoing_traffic: null,
    ingoing_traffic: null,
    included_traffic,
    protection: server.protection,
    labels: server.labels,
    primary_disk_size: server.primaryDiskSize,
    image,
    locked,
  }
  const public_net = Object.assign({}, ...parts.map((part) => part.public_net))
  return Object.assign(own, ...parts, { public_net }) as ServerWire
})
