/** `wolke actions` lists what runs, shows any action, and lets one go on that waits, or that nobody finishes. */
import { Command } from 'commander'
import { administeredOption } from '../config/config.ts'
import { families } from '../families.ts'
import { definitionIn, releaseLease, retryAction } from '../kernel/actions/letting-go.ts'
import type { Action } from '../kernel/actions/tables.ts'
import { actionById, explain, openActionsOf } from '../kernel/actions/waiting.ts'
import type { Database } from '../kernel/data/db.ts'
import { parseId } from '../kernel/ids.ts'
import { actionToWire, definitions, namesOf, type ShownAction } from '../management/installation/status.ts'
import type { Administer, AdministerOptions } from './administer.ts'
import { type Confirmed, confirm, letGo, yesOption } from './confirmed.ts'
import { CommandFailure } from './failure.ts'
import { jsonOption, type ListOptions, type Print, printList } from './output.ts'
import { projectNamed } from './project.ts'
import { waitsFor } from './status.ts'

interface ActionOptions extends AdministerOptions, ListOptions, Confirmed {
  readonly project?: string
}

/** The maximum number that is listed. */
const mostListed = 1_000

export function actionsCommand(administer: Administer): Command {
  const command = new Command('actions').description('list running actions, show any, and let them go on')
  command
    .command('list')
    .description('list running actions: ID, start, Project, command, resources, progress, what they wait for')
    .addOption(administeredOption())
    .option('--project <name>', 'only those of a Project')
    .addOption(jsonOption())
    .action(({ database, ...options }: ActionOptions) => administer(database, (db, print) => list(db, print, options)))
  command
    .command('show <id>')
    .description('show an action, also one that has ended')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .action((id: string, { database, ...options }: ActionOptions) =>
      administer(database, (db, print) => show(db, print, idIn(id), options)),
    )
  command
    .command('retry <id>')
    .description('let an action go on that waits for another attempt, or do one again that failed, where that is safe')
    .addOption(administeredOption())
    .addOption(yesOption())
    .action((text: string, { database, ...options }: ActionOptions) => {
      const id = idIn(text)
      confirm(options, `let action ${id} go on at once, or do it again if it has failed`)
      return administer(database, (db, print) => retry(db, print, id))
    })
  command.addCommand(
    releaseCommand(administer, 'take an action from the worker that has it, so that any may go on with it'),
  )
  return command
}

/** Takes an action from its worker, under the name of either. */
export function releaseCommand(administer: Administer, description: string): Command {
  return new Command('release')
    .argument('<id>')
    .description(description)
    .addOption(administeredOption())
    .addOption(yesOption())
    .action((text: string, { database, ...options }: ActionOptions) => {
      const id = idIn(text)
      confirm(options, `take action ${id} from its worker, which can write nothing more of it`)
      return administer(database, async (db, print) => {
        const { worker } = await letGo(db, async (tx) => ({ ...changeOf(await releaseLease(tx, id)) }))
        print(`Action ${id} was taken from ${worker}`)
      })
    })
}

const changeOf = ({ id, project_id, worker }: Action) => ({ projectId: project_id, subjects: [id], worker })

/** Errors: `CommandFailure` for what is no id. */
export function idIn(text: string): number {
  const id = parseId(text)
  if (id === undefined) throw new CommandFailure(`${text} is no ID of an action`, 2)
  return id
}

async function list(
  db: Database,
  print: Print,
  { project, ...options }: ActionOptions | Omit<ActionOptions, 'database'>,
) {
  const projectId = project === undefined ? undefined : (await projectNamed(db, project)).id
  const found = await openActionsOf(db, definitions(), { limit: mostListed, projectId })
  const names = await namesOf(
    db.query,
    found.map(({ project_id }) => project_id),
  )
  const shown = found.map((action) => actionToWire(action, names))
  await printList(print, shown, options, columnsOf)
}

const columnsOf = (action: ShownAction) => [
  action.id,
  action.started,
  action.project.name,
  action.command,
  action.resources.map(({ type, id }) => `${type}:${id}`).join(','),
  `${action.progress}%`,
  waitsFor(action),
]

async function show(db: Database, print: Print, id: number, { json }: ListOptions): Promise<void> {
  const action = await actionById(db.query, id)
  if (!action) throw new CommandFailure(`there is no action ${id}`)
  const names = await namesOf(db.query, [action.project_id])
  const [open] = action.status === 'running' ? await explain(db, definitions(), [action]) : []
  const { command, status, progress, started, finished, error_code, error_message, phase, fence, attempts } = action
  const shown = {
    ...{ id, command, status, phase, progress, started, finished, fence, attempts },
    project: { id: action.project_id, name: names.get(action.project_id) ?? '' },
    resources: action.resources,
    error: error_code === null ? null : { code: error_code, message: error_message },
    waiting: open ? actionToWire(open, names) : null,
  }
  if (json) return printList(print, [shown], { json }, () => [])
  print(`Action ${id}: ${command} of Project ${shown.project.name}`)
  print(`  on         ${action.resources.map((one) => `${one.type} ${one.id}`).join(', ') || 'nothing'}`)
  print(
    `  status     ${status}, ${progress} %, ${phase === 'unwinding' ? 'taking back what it did' : 'since'} ${started}`,
  )
  if (finished !== null) print(`  ended      ${finished}`)
  if (shown.error) print(`  error      ${shown.error.code}: ${shown.error.message}`)
  if (shown.waiting) print(`  now        ${waitsFor(shown.waiting)}`)
}

async function retry(db: Database, print: Print, id: number): Promise<void> {
  const definitionOf = definitionIn(families.flatMap(({ actions }) => actions))
  const { made } = await letGo(db, async (tx) => {
    const action = await retryAction(tx, id, definitionOf)
    return { made: action.id, projectId: action.project_id, subjects: [id] }
  })
  print(made === id ? `Action ${id} goes on` : `Action ${id} is done again as action ${made}`)
}
