/** What Storage Boxes took over time in the database: a row where it has changed, one an hour at most. */
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { preparedScoped, scoped } from '../../../kernel/data/scoped.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { BoxUsage } from '../driver.ts'
import type { UsagePoint } from './domain.ts'

const hourMs = 3_600_000
const keptMs = 30 * 24 * hourMs

const ofBox = preparedScoped((rows, box: number) =>
  rows.selectFrom('storage_box_usage').selectAll().where('storage_box_id', '=', box).orderBy('measured'),
)

/** The newest row of a box until a time. */
const newestUntil = preparedScoped((rows, box: number, time: string) =>
  rows
    .selectFrom('storage_box_usage')
    .selectAll()
    .where('storage_box_id', '=', box)
    .where('measured', '<=', time)
    .orderBy('measured', 'desc')
    .limit(1),
)

/** What a box took, oldest first. */
export async function pointsOf(query: Queries, scope: ProjectScope, box: number): Promise<readonly UsagePoint[]> {
  return (await ofBox(query, scope, box)).map(({ measured, size_data, size_snapshots }) => ({
    since: Date.parse(measured) / 1_000,
    size_data,
    size_snapshots,
  }))
}

/** Notes what a box takes that the transaction has locked, where that is something new. */
export async function notePoint(tx: Transaction, scope: ProjectScope, box: number, usage: BoxUsage): Promise<void> {
  const { data: size_data, snapshots: size_snapshots } = usage
  const [last] = await newestUntil(tx.query, scope, box, timestamp(tx.now))
  if (last?.size_data === size_data && last.size_snapshots === size_snapshots) return
  const measured = timestamp(tx.now - (tx.now % hourMs))
  await scoped(tx.query, scope)
    .insertInto('storage_box_usage', [{ storage_box_id: box, measured, size_data, size_snapshots }])
    .onConflict((conflict) =>
      conflict.columns(['storage_box_id', 'measured']).doUpdateSet({ size_data, size_snapshots }),
    )
    .execute()
  if (last && last.measured < measured) await dropOld(tx, scope, box)
}

/** Removes what is older than what is shown; the last of it says what the box took from then on. */
async function dropOld(tx: Transaction, scope: ProjectScope, box: number): Promise<void> {
  const [oldest] = await newestUntil(tx.query, scope, box, timestamp(tx.now - keptMs))
  if (!oldest) return
  await scoped(tx.query, scope)
    .deleteFrom('storage_box_usage')
    .where('storage_box_id', '=', box)
    .where('measured', '<', oldest.measured)
    .execute()
}

/** Forgets a box that goes. */
export async function dropPoints(tx: Transaction, scope: ProjectScope, box: number): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('storage_box_usage').where('storage_box_id', '=', box).execute()
}
