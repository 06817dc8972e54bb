/** Whether hosts have taken what was written: OVN counts changes, and every host says how far it has come. */
import { setTimeout as delay } from 'node:timers/promises'
import { DriverError } from '../../../kernel/actions/define.ts'
import type { Database } from './database.ts'

const pauseMs = 10

/**
 * Waits until all hosts have what is in the database now. Errors: a transient `DriverError` when one does not have it in
 * time; a host that is gone never has.
 */
export async function converge(database: Database, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs
  const [, asked] = await database.transact([
    { op: 'mutate', table: 'NB_Global', where: [], mutations: [['nb_cfg', '+=', 1]] },
    { op: 'select', table: 'NB_Global', where: [], columns: ['nb_cfg'] },
  ])
  const wanted = Number(asked?.rows?.[0]?.nb_cfg)
  for (;;) {
    const [global] = await database.select('NB_Global', [], ['hv_cfg'])
    if (Number(global?.hv_cfg) >= wanted) return
    if (performance.now() > until) {
      throw new DriverError(`not all hosts have taken a change of OVN in ${timeoutMs} ms`, { transient: true })
    }
    await delay(pauseMs)
  }
}
