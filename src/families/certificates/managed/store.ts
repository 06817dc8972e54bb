/** Managed certificates in the database: their orders, what came of the orders, and how far their renewal is. */
import type { ActionError } from '../../../kernel/actions/define.ts'
import type { Labels } from '../../../kernel/contract/labels.ts'
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { scoped } from '../../../kernel/data/scoped.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { SecretPlace, Secrets } from '../../../kernel/secrets/secrets.ts'
import { type Challenge, holdZones, placeChallenge, removeChallenge } from '../../zones/effects.ts'
import type { Certificate, CertificateFacts, KeyPair } from '../domain.ts'
import { certificates, fromRow, issuedColumns, putKey } from '../store.ts'
import type { CertificateRow } from '../tables.ts'
import { type DueHint, type DueRenewal, renewalPause } from './domain.ts'
import { type RenewalTimes, renewalTimes, type Window } from './renewal.ts'
import { orderKeys } from './tables.ts'

const notIssued = { certificate: null, fingerprint: null, not_valid_before: null, not_valid_after: null }
const notDue = { schedule_at: null, renew_at: null, hint_at: null }
const noError = { error_code: null, error_message: null }

/** Adds a managed certificate that is still to be issued. Errors: `uniqueness_error`. */
export function insertManaged(
  tx: Transaction,
  scope: ProjectScope,
  { name, labels, domainNames }: { name: string; labels: Labels; domainNames: readonly string[] },
): Promise<Certificate> {
  return certificates.insert(tx, scope, {
    name,
    labels,
    type: 'managed',
    domain_names: JSON.stringify(domainNames),
    ...notIssued,
    issuance: 'pending',
    renewal: 'unavailable',
    ...noError,
    failures: 0,
    ...notDue,
  })
}

/** Reads the row of a certificate for a change, with what `Certificate` leaves out; undefined when it is gone. */
function lockRow(tx: Transaction, scope: ProjectScope, id: number): Promise<CertificateRow | undefined> {
  return scoped(tx.query, scope)
    .selectFrom('certificate')
    .selectAll()
    .where('id', '=', id)
    .modifyEnd(tx.dialect.lockRows('update'))
    .executeTakeFirst()
}

// ---- Orders --------------------------------------------------------------------------------------------------------

/** An open order at the authority. */
export interface Order {
  readonly url: string
  readonly challenges: readonly Challenge[]
}

const orderKeyPlace = (id: number): SecretPlace => ({ ...orderKeys, id })

/**
 * Stores an order with its private key sealed, in place of one that was left over, and places its challenges. Errors:
 * `not_found` for the certificate or a zone.
 */
export async function openOrder(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  id: number,
  { url, challenges, privateKey }: Order & Pick<KeyPair, 'privateKey'>,
): Promise<void> {
  await certificates.lock(tx, scope, id)
  // Zones are locked in the order of their ids, so those of an order that was left over are locked together with these.
  await holdZonesOf(tx, scope, [...(await challengesOf(tx, scope, id)), ...challenges])
  await endOrder(tx, scope, id)
  for (const challenge of challenges) await placeChallenge(tx, scope, challenge)
  const private_key = await secrets.seal(tx, scope, orderKeyPlace(id), privateKey)
  const row = { certificate_id: id, url, challenges: JSON.stringify(challenges), private_key }
  await scoped(tx.query, scope).insertInto('certificate_order', [row]).execute()
}

async function holdZonesOf(tx: Transaction, scope: ProjectScope, challenges: readonly Challenge[]): Promise<void> {
  const ids = challenges.map(({ zoneId }) => zoneId)
  await holdZones(tx, scope, ids)
}

/** The challenges that the order of a certificate has placed; none without an order. */
async function challengesOf(tx: Transaction, scope: ProjectScope, id: number): Promise<Challenge[]> {
  const row = await orderRow(tx.query, scope, id, ['challenges'])
  return row ? (JSON.parse(row.challenges) as Challenge[]) : []
}

/** The order of a certificate. Errors: `not_found` when it has none any more. */
export async function getOrder(query: Queries, scope: ProjectScope, id: number): Promise<Order> {
  const row = await orderRow(query, scope, id, ['url', 'challenges'])
  if (!row) throw notFound('certificate', id)
  return { url: row.url, challenges: JSON.parse(row.challenges) as Challenge[] }
}

/** The private key in PEM that the order of a certificate is for. Errors: `not_found` when it has no order any more. */
export async function getOrderKey(query: Queries, secrets: Secrets, scope: ProjectScope, id: number): Promise<string> {
  const row = await orderRow(query, scope, id, ['private_key'])
  if (!row) throw notFound('certificate', id)
  return secrets.open(query, scope, orderKeyPlace(id), row.private_key)
}

function orderRow<Column extends 'url' | 'challenges' | 'private_key'>(
  query: Queries,
  scope: ProjectScope,
  id: number,
  columns: readonly Column[],
) {
  return scoped(query, scope)
    .selectFrom('certificate_order')
    .select(columns)
    .where('certificate_id', '=', id)
    .executeTakeFirst()
}

/** Deletes the order of a certificate that the caller has locked, if there is one, and removes its challenges. */
export async function endOrder(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  const placed = await challengesOf(tx, scope, id)
  await holdZonesOf(tx, scope, placed)
  for (const challenge of placed) await removeChallenge(tx, scope, challenge)
  await scoped(tx.query, scope).deleteFrom('certificate_order').where('certificate_id', '=', id).execute()
}

// ---- What came of them ---------------------------------------------------------------------------------------------

/** An issued chain with its private key. */
export interface Issued extends KeyPair {
  readonly facts: CertificateFacts
  /** Whether the authority can be asked when to renew. */
  readonly asksForHints: boolean
}

/** Takes a new chain and its private key into use, in place of the previous ones. Errors: `not_found`. */
export async function putIssued(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  id: number,
  { certificate, privateKey, facts, asksForHints }: Issued,
): Promise<void> {
  const { domainNames } = await certificates.lock(tx, scope, id)
  await endOrder(tx, scope, id)
  await putKey(tx, secrets, scope, id, privateKey)
  await certificates.set(tx, scope, id, {
    ...issuedColumns(certificate, { ...facts, domainNames }),
    ...timesColumns(renewalTimes(facts)),
    hint_at: asksForHints ? tx.now : null,
    issuance: 'completed',
    renewal: 'unavailable',
    ...noError,
    failures: 0,
  })
}

const timesColumns = ({ scheduleAt, renewAt }: RenewalTimes) => ({ schedule_at: scheduleAt, renew_at: renewAt })

/**
 * Records that the issuance failed, or the renewal if the certificate was issued before. Returns the certificate;
 * undefined when it is gone.
 */
export async function putFailure(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  { code, message }: ActionError,
): Promise<Certificate | undefined> {
  const row = await lockRow(tx, scope, id)
  if (!row) return undefined
  await endOrder(tx, scope, id)
  const failures = row.failures + 1
  const again = tx.now + renewalPause(failures)
  const renewal = { renewal: 'failed', failures, schedule_at: again, renew_at: again } as const
  const failed = row.certificate === null ? ({ issuance: 'failed' } as const) : renewal
  const columns = { ...failed, error_code: code, error_message: message }
  await certificates.set(tx, scope, id, columns)
  return fromRow({ ...row, ...columns })
}

/** Marks a failed issuance or renewal as pending again. */
export async function putPending(tx: Transaction, scope: ProjectScope, certificate: Certificate): Promise<void> {
  const state = certificate.chain === null ? ({ issuance: 'pending' } as const) : ({ renewal: 'pending' } as const)
  await certificates.set(tx, scope, certificate.id, { ...state, ...noError, schedule_at: null, renew_at: null })
}

// ---- Renewal -------------------------------------------------------------------------------------------------------

/**
 * Moves a renewal on as the clock says: to scheduled, or to pending and then calls `begin`. Does nothing when the renewal
 * is not due, or not due any more.
 */
export async function advanceRenewal(
  tx: Transaction,
  { id, scope }: DueRenewal,
  begin: (certificate: Certificate) => Promise<void>,
): Promise<void> {
  const row = await lockRow(tx, scope, id)
  if (!row || row.schedule_at === null || row.renew_at === null || row.schedule_at > tx.now) return
  if (row.renew_at > tx.now) {
    return certificates.set(tx, scope, id, { renewal: 'scheduled', schedule_at: row.renew_at })
  }
  const certificate = fromRow(row)
  await putPending(tx, scope, certificate)
  await begin(certificate)
}

/**
 * Records when the authority may be asked again, and the window that it suggested, if any. The window is ignored once the
 * renewal is scheduled; nothing happens when the chain was replaced.
 */
export async function putHint(
  tx: Transaction,
  { id, scope, chain }: DueHint,
  { askAgainAt, window }: { askAgainAt: number; window: Window | undefined },
): Promise<void> {
  const row = await lockRow(tx, scope, id)
  if (!row || row.certificate !== chain) return
  const { notValidBefore, notValidAfter, fingerprint } = fromRow(row)
  const facts = { notValidBefore: notValidBefore!, notValidAfter: notValidAfter!, fingerprint: fingerprint! }
  const isOpen = row.renewal === 'unavailable' && window !== undefined
  const times = isOpen ? timesColumns(renewalTimes(facts, window)) : {}
  await certificates.set(tx, scope, id, { hint_at: askAgainAt, ...times })
}
