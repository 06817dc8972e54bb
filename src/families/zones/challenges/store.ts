/**
 * TXT records that prove to a certificate authority that a zone is ours (RFC 8555, 8.4). They are answered like records
 * of the zone, and the API does not show them.
 */
import { drawId, type Transaction } from '../../../kernel/data/db.ts'
import { scoped } from '../../../kernel/data/scoped.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Zone } from '../domain.ts'
import { apex, rrsetKey } from '../rrsets/domain.ts'
import { changeZone, lockZone, lockZoneIfThere } from '../store.ts'

/** Where a certificate authority looks, and for what. */
export interface Challenge {
  readonly zoneId: number
  /** The domain of the certificate, without `*.`: the zone itself or below it. */
  readonly domain: string
  /** Letters, digits, - and _. */
  readonly value: string
}

/** Places a challenge; the next query sees it. Placing it again changes nothing. Errors: `not_found` for the zone. */
export async function placeChallenge(tx: Transaction, scope: ProjectScope, challenge: Challenge): Promise<void> {
  if (!/^[\w-]{1,255}$/.test(challenge.value)) throw new Error('a challenge has characters that it cannot have')
  const zone = await lockZone(tx, scope, String(challenge.zoneId))
  await renew(tx, scope, zone, challenge, async (row) => {
    await scoped(tx.query, scope)
      .insertInto('zone_challenge', [{ ...row, id: await drawId(tx) }])
      .execute()
  })
}

/** Removes a challenge, if it and its zone are there. */
export async function removeChallenge(tx: Transaction, scope: ProjectScope, challenge: Challenge): Promise<void> {
  const zone = await lockZoneIfThere(tx, scope, String(challenge.zoneId))
  if (zone) await renew(tx, scope, zone, challenge, async () => undefined)
}

async function renew(
  tx: Transaction,
  scope: ProjectScope,
  zone: Zone,
  { zoneId, domain, value }: Challenge,
  add: (row: { zone_id: number; name: string; value: string }) => Promise<void>,
): Promise<void> {
  if (domain !== zone.name && !domain.endsWith(`.${zone.name}`)) throw notFound('zone', domain)
  const relative = domain === zone.name ? apex : domain.slice(0, -zone.name.length - 1)
  const name = relative === apex ? '_acme-challenge' : `_acme-challenge.${relative}`
  await scoped(tx.query, scope)
    .deleteFrom('zone_challenge')
    .where('zone_id', '=', zoneId)
    .where('name', '=', name)
    .where('value', '=', value)
    .execute()
  await add({ zone_id: zoneId, name, value })
  await changeZone(tx, scope, zone, { keys: [rrsetKey({ name, type: 'TXT' })] })
}
