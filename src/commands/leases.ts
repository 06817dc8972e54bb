/** `wolke leases` shows which worker has which action, and takes one away from a worker that is gone or stuck. */
import { Command } from 'commander'
import { administeredOption } from '../config/config.ts'
import type { Action } from '../kernel/actions/tables.ts'
import { databaseClock, heldActions } from '../kernel/actions/waiting.ts'
import type { Database } from '../kernel/data/db.ts'
import { connectedProcesses } from '../kernel/data/standing.ts'
import { timestamp } from '../kernel/process/clock.ts'
import { idIn, releaseCommand } from './actions.ts'
import type { Administer, AdministerOptions, FindLive } from './administer.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, type Print, printList } from './output.ts'

export function leasesCommand(administer: Administer): Command {
  const command = new Command('leases').description('show which worker has which action, and take it away')
  command
    .command('list')
    .description('list what workers have: ID of the action, command, worker, end, fence, state of the worker')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action(({ database, ...options }: AdministerOptions & ListOptions) =>
      administer(database, async (db, print, live) => printLeases(print, await leases(db, live), options)),
    )
  command
    .command('show <id>')
    .description('show who has an action')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action((id: string, { database, ...options }: AdministerOptions & ListOptions) =>
      administer(database, async (db, print, live) => {
        const found = (await leases(db, live)).filter(({ action }) => action === idIn(id))
        if (found.length === 0) throw new CommandFailure(`nobody holds action ${idIn(id)}`)
        await printLeases(print, found, options)
      }),
    )
  command.addCommand(releaseCommand(administer, 'take an action from its worker, which can write nothing more of it'))
  return command
}

interface HeldLease {
  readonly action: number
  readonly command: string
  readonly worker: string
  readonly until: string
  readonly fence: number
  /** `gone` for a worker that is in none of the processes that serve the database, as far as they are known. */
  readonly holder: 'runs' | 'gone' | 'unknown'
  /** True when its time is over: the next worker that looks takes it. */
  readonly over: boolean
}

async function leases(db: Database, live: FindLive): Promise<HeldLease[]> {
  const [held, now] = [await heldActions(db.query), await databaseClock(db)]
  const asked = await Promise.all((await live()).map((one) => one.status()))
  const known = new Set([...asked, ...(await connectedProcesses(db))].map(({ name }) => name))
  return held.map((action) => leaseOf(action, now, known))
}

function leaseOf(
  { id, command, worker, lease_until, fence }: Action,
  now: number,
  known: ReadonlySet<string>,
): HeldLease {
  const until = lease_until ?? 0
  const runs = known.has(worker!.slice(0, worker!.lastIndexOf(':')))
  return {
    ...{ action: id, command, worker: worker!, fence, until: timestamp(until), over: until <= now },
    holder: runs ? 'runs' : known.size > 0 ? 'gone' : 'unknown',
  }
}

const states = { runs: 'runs', gone: 'is gone', unknown: 'cannot be asked' } as const

function printLeases(print: Print, found: readonly HeldLease[], options: ListOptions): Promise<void> {
  return printList(print, found, options, ({ action, command, worker, until, fence, holder, over }) => [
    ...[action, command, worker, until, fence],
    over ? `${states[holder]}; its time is over` : states[holder],
  ])
}
