/**
 * Networks that Incus has begun to make and could not end: it forgets such a network without the rows that it has written.
 */
import { carryOut } from '../../../protocols/ovsdb/change.ts'
import { called, marked } from '../../../protocols/ovsdb/rows.ts'
import type { Site } from './site.ts'

/** Takes the rows of a network away that nothing can use. Errors: those of the overlay. */
export async function clearUnfinished(site: Site, incusNetwork: string): Promise<void> {
  const names = await site.names(incusNetwork)
  if (!names) return
  const { logicalRouter, logicalSwitch } = names
  const network = logicalRouter.replace(/-lr$/, '')
  const group = network.replaceAll('-', '_')
  const named = [
    ['Logical_Router', logicalRouter],
    ['Logical_Switch', logicalSwitch],
    ['HA_Chassis_Group', network],
    ['Port_Group', group],
    ['Address_Set', `${group}_routes_ip4`],
    ['Address_Set', `${group}_routes_ip6`],
  ] as const
  await carryOut(site.database, async (change) => {
    for (const [table, name] of named) change.delete(table, [called(name)])
    for (const table of ['DHCP_Options', 'DNS'] as const)
      change.delete(table, [marked({ incus_switch: logicalSwitch })])
  })
}
