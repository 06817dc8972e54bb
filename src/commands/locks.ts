/** `wolke locks` shows which resources are locked and which queues are not empty, and opens one that nobody needs. */
import { Command } from 'commander'
import { administeredOption } from '../config/config.ts'
import { releaseLock, releaseQueue } from '../kernel/actions/letting-go.ts'
import { locksOfAll, queuesOf } from '../kernel/actions/waiting.ts'
import type { Queries } from '../kernel/data/db.ts'
import { parseId } from '../kernel/ids.ts'
import type { Administer, AdministerOptions } from './administer.ts'
import { type Confirmed, confirm, letGo, yesOption } from './confirmed.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, type Print, printList } from './output.ts'

type LockOptions = AdministerOptions & ListOptions & Confirmed

/** A lock of a resource, or a queue in which actions run one after the other. */
interface LockOrQueue {
  readonly kind: 'lock' | 'queue'
  /** Such as `server:42`. */
  readonly name: string
  /** The action that has the lock, or is first in the queue. */
  readonly action: number
  /** The actions behind it. */
  readonly behind: readonly number[]
}

export function locksCommand(administer: Administer): Command {
  const command = new Command('locks').description('show locks of resources and queues of actions, and open them')
  command
    .command('list')
    .description('list locks and queues: kind, name, action that has it, number of actions behind it')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action(({ database, ...options }: LockOptions) =>
      administer(database, async (db, print) => printKept(print, await kept(db.query), options)),
    )
  command
    .command('show <name>')
    .description('show the lock and the queue of a name such as server:42')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action((name: string, { database, ...options }: LockOptions) =>
      administer(database, async (db, print) => {
        const found = (await kept(db.query)).filter((one) => one.name === name)
        if (found.length === 0) throw new CommandFailure(`no lock and no queue has the name ${name}`)
        await printKept(print, found, options)
      }),
    )
  command
    .command('release <name>')
    .description('unlock a resource such as server:42, or with --queue let the first action out of that queue')
    .addOption(administeredOption())
    .option('--queue', 'the queue of that name instead of the lock')
    .addOption(yesOption())
    .action((name: string, { database, queue = false, ...options }: LockOptions & { queue?: boolean }) => {
      confirm(options, queue ? `let the first action out of the queue ${name}` : `unlock ${name}`)
      return administer(database, async (db, print) => {
        const { id } = await letGo(db, async (tx) => {
          const released = queue ? await releaseQueue(tx, name) : await releaseLock(tx, refIn(name))
          return { id: released.id, projectId: released.action?.project_id, subjects: [name, released.id] }
        })
        print(
          queue ? `Action ${id} was let out of the queue ${name}` : `${name} is unlocked; action ${id} had the lock`,
        )
      })
    })
  return command
}

/** Errors: `CommandFailure` for what names no resource. */
function refIn(name: string): { readonly type: string; readonly id: number } {
  const [, type, text] = /^([a-z_]+):(\d+)$/.exec(name) ?? []
  const id = parseId(text ?? '')
  if (type === undefined || id === undefined)
    throw new CommandFailure(`${name} names no resource: a name is a type and an ID, such as server:42`, 2)
  return { type, id }
}

async function kept(query: Queries): Promise<LockOrQueue[]> {
  const locks = (await locksOfAll(query)).map(
    ({ type, resource_id, action_id }): LockOrQueue => ({
      kind: 'lock',
      name: `${type}:${resource_id}`,
      action: Number(action_id),
      behind: [],
    }),
  )
  const queues = (await queuesOf(query)).map(
    ({ key, actions: [first, ...behind] }): LockOrQueue => ({ kind: 'queue', name: key, action: first!, behind }),
  )
  return [...locks, ...queues]
}

function printKept(print: Print, found: readonly LockOrQueue[], options: ListOptions): Promise<void> {
  return printList(print, found, options, ({ kind, name, action, behind }) => [kind, name, action, behind.length])
}
