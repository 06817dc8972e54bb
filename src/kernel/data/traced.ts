/** A database whose transactions are spans, where they are part of something that is traced. */
import { noteError, type Span, type Tracer } from '../process/tracing.ts'
import { type Database, type Transaction, type TransactOptions, withTransact } from './db.ts'

/** The moments of a transaction on the monotonic clock; undefined for what it did not come to. */
interface Moments {
  readonly askedAt: number
  begunAt?: number
  doneAt?: number
  runs: number
}

/** Wraps a database. What its transactions start is handed on with them, since they may run in the context of another caller. */
export function traced(db: Database, tracer: Tracer): Database {
  const attributes = { 'db.system.name': db.dialect.shared ? 'postgresql' : 'sqlite' }
  return withTransact(db, (work, options) => {
    if (!tracer.current()) return db.transact(work, options)
    const span = tracer.begin({ name: 'transaction', kind: 'outgoing', attributes })
    return transactIn(span, tracer, db, work, options)
  })
}

async function transactIn<T>(
  span: Span,
  tracer: Tracer,
  db: Database,
  work: (tx: Transaction) => Promise<T>,
  options: TransactOptions | undefined,
): Promise<T> {
  const { traceparent } = span
  const moments: Moments = { askedAt: performance.now(), runs: 0 }
  try {
    return await db.transact(async (tx) => {
      moments.runs++
      moments.begunAt = performance.now()
      const made = await tracer.run(span, () => work({ ...tx, traceparent }))
      moments.doneAt = performance.now()
      return made
    }, options)
  } catch (error) {
    noteError(span, error)
    throw error
  } finally {
    span.add(waitsOf(moments))
    span.end()
  }
}

/** The times that it waited for its turn and for its commit, in milliseconds, and how often its work ran. */
function waitsOf({ askedAt, begunAt, doneAt, runs }: Moments) {
  const now = performance.now()
  return {
    'wolke.transaction.runs': runs,
    'wolke.transaction.wait_ms': rounded((begunAt ?? now) - askedAt),
    'wolke.transaction.commit_ms': doneAt === undefined ? undefined : rounded(now - doneAt),
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}
