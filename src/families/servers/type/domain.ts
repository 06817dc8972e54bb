/** Which types a server can be given. Pure. */
import { type ServerType, serverTypeOrderable } from '../../../catalogue/catalogue.ts'
import type { Server } from '../domain.ts'

/** Why a server cannot have a type at `now` (ms since the epoch); undefined when it can. */
export function unfitType(server: Server, current: ServerType, wanted: ServerType, now: number): string | undefined {
  if (wanted.architecture !== current.architecture) return 'the server type has another architecture'
  if (wanted.storage_type !== current.storage_type) return 'the server type has another kind of storage'
  if (!serverTypeOrderable(wanted, server.locationId, now)) {
    return 'the server type is not available in the location of the server'
  }
  // A disk never shrinks.
  if (wanted.disk < server.primaryDiskSize) {
    return 'cannot change type because the selected server_type has not sufficient disk space'
  }
  return undefined
}
