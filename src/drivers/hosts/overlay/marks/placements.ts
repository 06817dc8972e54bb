/**
 * The hosts of servers in placement groups, as marks of what is remembered of servers: one transaction decides it, so
 * that processes which place servers of a group at the same moment do not choose the same host.
 */
import { carryOut } from '../../../../protocols/ovsdb/change.ts'
import { marked } from '../../../../protocols/ovsdb/rows.ts'
import { putMarks, readGroups } from '../groups/groups.ts'
import type { Northbound } from '../northbound.ts'
import { isStale, readRecord, recordGroup, toMarks } from './records.ts'

export interface Placement {
  readonly group: number
  /** The name of a member of the cluster. */
  readonly host: string
}

/** Gives a server a host instead of the one that it had. Answers false when another server of the group has it. */
export function takeHost(
  database: Northbound,
  server: number,
  generation: number,
  { group, host }: Placement,
): Promise<boolean> {
  const subject = { kind: 'server', id: server } as const
  return carryOut(database, async (change) => {
    const [remembered] = await readGroups(database, [recordGroup(subject)])
    const record = readRecord(subject, remembered!)
    const placement = `${group}@${host}`
    // A call that comes late makes nothing that needs a host.
    if (isStale(record, 'server', generation) || record.placement === placement) return true
    const others = [marked({ placement })]
    if ((await database.select('Port_Group', others, ['name'])).length > 0) return false
    change.expect('Port_Group', others, ['name'], [])
    putMarks(change, remembered!, toMarks({ ...record, placement }))
    return true
  })
}

/** Keeps a placement for a server that is still in its group. */
export const placementWithin = (placement: string | null, group: number | null) =>
  placement?.startsWith(`${group}@`) ? placement : null
