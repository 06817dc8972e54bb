/** Keys of zones at rest: the private part is sealed as other secrets of the Project. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { drawId, type Queries, type Transaction } from '../../../../kernel/data/db.ts'
import { scoped } from '../../../../kernel/data/scoped.ts'
import { timestamp } from '../../../../kernel/process/clock.ts'
import type { ProjectScope } from '../../../../kernel/scope.ts'
import type { SecretPlace, Secrets } from '../../../../kernel/secrets/secrets.ts'
import { dnskeyData, keyTag } from '../../../../protocols/net/dns/dnskeys.ts'
import { type ZoneKeyRow, zoneKeys } from '../../tables.ts'

const placeOf = (id: number): SecretPlace => ({ ...zoneKeys, id })

/** The keys of a zone, the oldest first. */
export function keysOfZone(query: Queries, scope: ProjectScope, zoneId: number): Promise<ZoneKeyRow[]> {
  return scoped(query, scope).selectFrom('zone_key').selectAll().where('zone_id', '=', zoneId).orderBy('id').execute()
}

/** Makes another key for a zone. */
export async function insertKey(tx: Transaction, secrets: Secrets, scope: ProjectScope, zoneId: number): Promise<void> {
  const known = await keysOfZone(tx.query, scope, zoneId)
  const tags = new Set(known.map(({ dnskey }) => keyTag(Buffer.from(dnskey, 'base64'))))
  const { privateKey, dnskey } = newKey(tags)
  const id = await drawId(tx)
  const text = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
  const row = {
    id,
    zone_id: zoneId,
    dnskey: dnskey.toString('base64'),
    sealed: await secrets.seal(tx, scope, placeOf(id), text),
    created: timestamp(tx.now),
  }
  await scoped(tx.query, scope).insertInto('zone_key', [row]).execute()
}

/** A key with a tag that no other key of the zone has, so that records lead to one of them. */
function newKey(tags: ReadonlySet<number>) {
  for (;;) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const dnskey = dnskeyData(privateKey)
    if (!tags.has(keyTag(dnskey))) return { privateKey, dnskey }
  }
}

/** The private part of a key. Errors: when it was not sealed for its place. */
export async function openKey(
  query: Queries,
  secrets: Secrets,
  { id, project_id, sealed }: ZoneKeyRow,
): Promise<KeyObject> {
  const text = await secrets.open(query, { projectId: project_id }, placeOf(id), sealed)
  return createPrivateKey({ key: Buffer.from(text, 'base64'), type: 'pkcs8', format: 'der' })
}

/** Deletes some keys of a zone. */
export async function deleteKeys(tx: Transaction, scope: ProjectScope, ids: readonly number[]): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('zone_key').where('id', 'in', ids).execute()
}
