/** Zone files on the wire. */
import { Type } from 'typebox'
import { ActionSchema, actionsOf } from '../../../kernel/actions/contract.ts'
import { closedObject, defineEndpoints, named } from '../../../kernel/contract/contract.ts'
import { defaultZoneLimits } from '../limits.ts'

/** Longest zone file in characters: every zone as a file, with its first lines and the serial. */
const maxZonefile = defaultZoneLimits.textBytes + 1_024
/** The body that carries it as JSON, whose escapes make three bytes of one at most where a client escapes all but ASCII. */
export const maxZonefileBody = 3 * maxZonefile + 1_024
export const Zonefile = Type.String({ maxLength: maxZonefile })
/** RRSets of a zone file whose place those of the name servers here took. An addition of ours, which clients ignore. */
export const Replaced = Type.Optional(
  Type.Array(named('ReplacedRrset', { name: Type.String(), type: Type.String(), values: Type.Array(Type.String()) })),
)

const section = 'DNS zones'
const action = actionsOf('/zones/{id_or_name}', section)

export const zonefileEndpoints = defineEndpoints({
  exportZonefile: {
    method: 'GET',
    needs: 'viewer',
    path: '/zones/{id_or_name}/zonefile',
    of: '/zones/{id_or_name}',
    summary: 'Get a primary zone as a zone file',
    section,
    status: 200,
    reply: Type.Object({ zonefile: Type.String() }),
    errors: ['incorrect_zone_mode'],
  },
  importZonefile: action('import_zonefile', {
    needs: 'restricted',
    summary: 'Replace the RRSets of a primary zone by those of a zone file',
    body: closedObject({ zonefile: Zonefile }),
    maxBodyBytes: maxZonefileBody,
    reply: Type.Object({ action: ActionSchema, replaced: Replaced }),
    errors: ['incorrect_zone_mode', 'protected'],
  }),
})
