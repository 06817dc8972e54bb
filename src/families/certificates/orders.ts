/** Every statement on how far managed certificates are: their orders, what was issued, and when they are looked at. */
import { sql } from 'kysely'
import type { ActionError } from '../../kernel/actions/define.ts'
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { notFound } from '../../kernel/errors.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { SecretPlace, Secrets } from '../../kernel/secrets/secrets.ts'
import { type Challenge, holdZones, placeChallenge, removeChallenge } from '../zones/effects.ts'
import type { Certificate, CertificateFacts, KeyPair } from './domain.ts'
import { type RenewalTimes, renewalPause, renewalTimes, type Window } from './managed.ts'
import { fromRow, issuedColumns, putKey } from './store.ts'
import type { CertificateRow } from './tables.ts'

/** An order that is open at the authority. */
export interface Order {
  readonly url: string
  readonly challenges: readonly Challenge[]
}

const orderKeyPlace = (id: number): SecretPlace => ({ table: 'certificate_order', column: 'private_key', id })

/** Reads a certificate for a change: nobody else changes it until the transaction ends. Errors: `not_found`. */
export async function lockCertificate(tx: Transaction, scope: ProjectScope, id: number): Promise<Certificate> {
  return fromRow(await lockRow(tx, scope, id))
}

async function lockRow(tx: Transaction, scope: ProjectScope, id: number): Promise<CertificateRow> {
  const row = await findRow(tx, scope, id)
  if (!row) throw notFound('certificate', id)
  return row
}

async function findRow(tx: Transaction, scope: ProjectScope, id: number): Promise<CertificateRow | undefined> {
  const { rows } = await sql<CertificateRow>`
    select * from certificate where project_id = ${scope.projectId} and id = ${id} ${tx.dialect.lockRows('update')}
  `.execute(tx.query)
  return rows[0]
}

async function set(tx: Transaction, scope: ProjectScope, id: number, columns: Partial<CertificateRow>): Promise<void> {
  await tx.query
    .updateTable('certificate')
    .set(columns)
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .execute()
}

// ---- Orders --------------------------------------------------------------------------------------------------------

/**
 * Keeps an order, its key sealed, in place of one that was left over, and places its challenges. Errors: `not_found` for
 * the certificate or a zone.
 */
export async function openOrder(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  id: number,
  { url, challenges, privateKey }: Order & Pick<KeyPair, 'privateKey'>,
): Promise<void> {
  await lockRow(tx, scope, id)
  // All at once, those of an order that was left over too: zones are locked in the order of their ids.
  const leftOver = await challengesOf(tx, scope, id)
  await holdZones(
    tx,
    scope,
    [...leftOver, ...challenges].map(({ zoneId }) => zoneId),
  )
  await endOrder(tx, scope, id)
  for (const challenge of challenges) await placeChallenge(tx, scope, challenge)
  const private_key = await secrets.seal(tx, scope, orderKeyPlace(id), privateKey)
  await tx.query
    .insertInto('certificate_order')
    .values({
      certificate_id: id,
      project_id: scope.projectId,
      url,
      challenges: JSON.stringify(challenges),
      private_key,
    })
    .execute()
}

/** What the order of a certificate has placed, if it has one. */
async function challengesOf(tx: Transaction, { projectId }: ProjectScope, id: number): Promise<Challenge[]> {
  const row = await tx.query
    .selectFrom('certificate_order')
    .select('challenges')
    .where('project_id', '=', projectId)
    .where('certificate_id', '=', id)
    .executeTakeFirst()
  return row ? (JSON.parse(row.challenges) as Challenge[]) : []
}

/** The order of a certificate. Errors: `not_found` when it has none any more. */
export async function getOrder(query: Queries, scope: ProjectScope, id: number): Promise<Order> {
  const { url, challenges } = await orderRow(query, scope, id, ['url', 'challenges'])
  return { url, challenges: JSON.parse(challenges) as Challenge[] }
}

/** The private key, in PEM, that the order of a certificate is for. Errors: `not_found` when it has none any more. */
export async function getOrderKey(query: Queries, secrets: Secrets, scope: ProjectScope, id: number): Promise<string> {
  const { private_key } = await orderRow(query, scope, id, ['private_key'])
  return secrets.open(query, scope, orderKeyPlace(id), private_key)
}

async function orderRow<Column extends 'url' | 'challenges' | 'private_key'>(
  query: Queries,
  { projectId }: ProjectScope,
  id: number,
  columns: readonly Column[],
) {
  const row = await query
    .selectFrom('certificate_order')
    .select(columns)
    .where('project_id', '=', projectId)
    .where('certificate_id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('certificate', id)
  return row
}

/** Forgets the order of a certificate, if it has one, and removes what it has placed. Whoever calls holds the certificate. */
export async function endOrder(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  const placed = await challengesOf(tx, scope, id)
  await holdZones(
    tx,
    scope,
    placed.map(({ zoneId }) => zoneId),
  )
  for (const challenge of placed) await removeChallenge(tx, scope, challenge)
  await tx.query
    .deleteFrom('certificate_order')
    .where('project_id', '=', scope.projectId)
    .where('certificate_id', '=', id)
    .execute()
}

// ---- What came of them ---------------------------------------------------------------------------------------------

/** Takes a new chain and its key into use, in place of those before. Errors: `not_found`. */
export async function putIssued(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  id: number,
  issued: KeyPair & { readonly facts: CertificateFacts; readonly asksForHints: boolean },
): Promise<void> {
  const row = await lockRow(tx, scope, id)
  await endOrder(tx, scope, id)
  await putKey(tx, secrets, scope, id, issued.privateKey)
  await set(tx, scope, id, {
    ...issuedColumns(issued.certificate, { ...issued.facts, domainNames: JSON.parse(row.domain_names) as string[] }),
    ...timesColumns(renewalTimes(issued.facts)),
    hint_at: issued.asksForHints ? tx.now : null,
    issuance: 'completed',
    renewal: 'unavailable',
    error_code: null,
    error_message: null,
    failures: 0,
  })
}

const timesColumns = ({ scheduleAt, renewAt }: RenewalTimes) => ({ schedule_at: scheduleAt, renew_at: renewAt })

/** Records that issuance, or renewal when there is a certificate already, failed. Returns it; undefined when it is gone. */
export async function putFailure(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  { code, message }: ActionError,
): Promise<Certificate | undefined> {
  const row = await findRow(tx, scope, id)
  if (!row) return undefined
  await endOrder(tx, scope, id)
  const failures = row.failures + 1
  const again = tx.now + renewalPause(failures)
  const renewal = { renewal: 'failed', failures, schedule_at: again, renew_at: again } as const
  const failed = row.certificate === null ? ({ issuance: 'failed' } as const) : renewal
  const columns = { ...failed, error_code: code, error_message: message }
  await set(tx, scope, id, columns)
  return fromRow({ ...row, ...columns })
}

/** Marks a failed issuance or renewal as under way again. */
export async function putPending(tx: Transaction, scope: ProjectScope, certificate: Certificate): Promise<void> {
  const state = certificate.chain === null ? ({ issuance: 'pending' } as const) : ({ renewal: 'pending' } as const)
  const noError = { error_code: null, error_message: null }
  await set(tx, scope, certificate.id, { ...state, ...noError, schedule_at: null, renew_at: null })
}

// ---- Renewal -------------------------------------------------------------------------------------------------------

/** A managed certificate that the clock has reached. */
export interface Due {
  readonly id: number
  readonly scope: ProjectScope
}

/** Certificates of all Projects whose renewal is to be looked at, longest due first. */
export async function dueRenewals(query: Queries, nowMs: number, limit: number): Promise<Due[]> {
  const rows = await query
    .selectFrom('certificate')
    .select(['id', 'project_id'])
    .where('schedule_at', '<=', nowMs)
    .orderBy('schedule_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, project_id: projectId }) => ({ id, scope: { projectId } }))
}

/**
 * Moves the renewal of a certificate on as the clock says: to scheduled, or, with `begin`, to pending. Does nothing for one
 * that is not due, or no more.
 */
export async function advanceRenewal(
  tx: Transaction,
  { id, scope }: Due,
  begin: (certificate: Certificate) => Promise<void>,
): Promise<void> {
  const row = await findRow(tx, scope, id)
  if (!row || row.schedule_at === null || row.renew_at === null || row.schedule_at > tx.now) return
  if (row.renew_at > tx.now) return set(tx, scope, id, { renewal: 'scheduled', schedule_at: row.renew_at })
  const certificate = fromRow(row)
  await putPending(tx, scope, certificate)
  await begin(certificate)
}

/** Certificates of all Projects about whose renewal the authority is to be asked. */
export async function dueHints(query: Queries, nowMs: number, limit: number): Promise<(Due & { chain: string })[]> {
  const rows = await query
    .selectFrom('certificate')
    .select(['id', 'project_id', 'certificate'])
    .where('hint_at', '<=', nowMs)
    .orderBy('hint_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, project_id: projectId, certificate }) => ({ id, scope: { projectId }, chain: certificate! }))
}

/** Keeps what the authority said about a chain, if it said anything, unless its renewal has gone further or it was replaced. */
export async function putHint(
  tx: Transaction,
  { id, scope, chain }: Due & { chain: string },
  { askAgainAt, window }: { askAgainAt: number; window: Window | undefined },
): Promise<void> {
  const row = await findRow(tx, scope, id)
  if (!row || row.certificate !== chain) return
  const { notValidBefore, notValidAfter, fingerprint } = fromRow(row)
  const facts = { notValidBefore: notValidBefore!, notValidAfter: notValidAfter!, fingerprint: fingerprint! }
  const isOpen = row.renewal === 'unavailable' && window !== undefined
  await set(tx, scope, id, { hint_at: askAgainAt, ...(isOpen ? timesColumns(renewalTimes(facts, window)) : {}) })
}
