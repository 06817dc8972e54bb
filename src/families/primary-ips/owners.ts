/** Primary IPs for something that is made with them. */
import { refuseLocked } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { IpType, PrimaryIp } from './domain.ts'
import { primaryIps } from './store.ts'

/** Those of some Primary IPs that the Project has, which nobody else changes meanwhile. Errors: `locked`. */
export async function holdForOwner(
  tx: Transaction,
  scope: ProjectScope,
  ids: readonly number[],
): Promise<ReadonlyMap<number, PrimaryIp>> {
  await primaryIps.hold(tx, scope, ids, 'update')
  // One that is just being unassigned would be assigned again if that failed.
  for (const id of ids) await refuseLocked(tx.query, scope, primaryIps.ref(id))
  return new Map((await primaryIps.byIds(tx.query, scope, ids)).map((ip) => [ip.id, ip]))
}

interface Wanted {
  readonly type: IpType
  readonly locationId: number
  /** The refusal of one in another location. */
  readonly elsewhere: 'primary_ip_datacenter_mismatch' | 'primary_ip_location_mismatch'
}

/** Errors: `primary_ip_version_mismatch`, `primary_ip_assigned`, and `elsewhere`. */
export function checkFit(primaryIp: PrimaryIp, { type, locationId, elsewhere }: Wanted): void {
  if (primaryIp.type !== type) {
    throw new ApiError('primary_ip_version_mismatch', `the primary IP is not of type ${type}`, { status: 412 })
  }
  if (primaryIp.serverId !== null || primaryIp.loadBalancerId !== null) {
    throw new ApiError('primary_ip_assigned', 'the primary IP is already assigned')
  }
  if (primaryIp.locationId !== locationId) throw new ApiError(elsewhere, 'the primary IP is in another location')
}
