/** `wolke status` shows what runs, what waits for what, and since when; `--watch` goes on showing it. */
import { setTimeout as delay } from 'node:timers/promises'
import { Command } from 'commander'
import { administeredOption } from '../config/config.ts'
import { type ServingProcess, type ShownAction, type Status, statusOf } from '../management/installation/status.ts'
import type { Administer, AdministerOptions } from './administer.ts'
import { watchFlag } from './doctor.ts'
import { jsonOption, type ListOptions, oneLine, type Print, printList } from './output.ts'

interface StatusOptions extends AdministerOptions, ListOptions {
  readonly watch?: boolean
}

/** The pause between two answers that are watched, in milliseconds. */
const everyMs = 2_000

export function statusCommand(administer: Administer): Command {
  return new Command('status')
    .description('show what runs, what waits for what, and since when')
    .addOption(administeredOption())
    .addOption(jsonOption())
    .option(watchFlag, 'show it again every two seconds, until it is interrupted')
    .action(async ({ database, watch = false, ...options }: StatusOptions) => {
      const once = () =>
        administer(database, async (db, print, live) => {
          const asked = await Promise.all((await live()).map((one) => one.status()))
          await show(print, await statusOf(db, asked), options)
        })
      if (watch) await again(once)
      else await once()
    })
}

/** Each answer takes the place of the one before on a terminal. */
async function again(once: () => Promise<void>): Promise<never> {
  for (;;) {
    if (process.stdout.isTTY) process.stdout.write('\x1b[H\x1b[2J')
    await once()
    await delay(everyMs)
  }
}

async function show(print: Print, status: Status, { json }: ListOptions): Promise<void> {
  if (json) return printList(print, [status], { json }, () => [])
  const { now, processes, actions, queues, mail } = status
  print(`Wolke at ${now}`)
  print('')
  for (const line of processes.length === 0
    ? ['No server runs here that can be asked']
    : processes.flatMap(processLines))
    print(line)
  print('')
  print(`Actions: ${actions.total} running`)
  for (const action of actions.oldest) print(actionLine(action))
  if (actions.total > actions.oldest.length) print(`  and ${actions.total - actions.oldest.length} more`)
  if (queues.length > 0) print('')
  for (const { project, actions: all, held, oldest } of queues)
    print(`Project ${project.name}: ${all} running, ${held} of them with a worker, the oldest since ${oldest}`)
  print('')
  print(`Mail: ${mail.waiting} waiting${mail.oldest === null ? '' : `, the oldest since ${mail.oldest}`}`)
  const jobs = processes.flatMap(({ jobs: some }) => some ?? [])
  if (jobs.length > 0) print('')
  for (const { name, last_run: last, next_run: next, took, failed } of jobs) {
    const ran = last === null ? 'has not run' : `${failed ? 'FAILED' : 'ran'} at ${last} in ${took} ms`
    print(`Job ${name}: ${ran}${next === null ? '' : `, next at ${next}`}`)
  }
}

function processLines({ name, started, version, memory, connections }: ServingProcess): string[] {
  const parts = [
    started && `since ${started}`,
    version && `version ${version}`,
    memory && `${Math.round(memory / 1_048_576)} MiB`,
    connections && `${connections} connections`,
  ]
  return [`Process ${name}: ${parts.filter((part) => part).join(', ')}`]
}

/** One line of a list: what it is, and what it waits for. */
export function actionLine(action: ShownAction): string {
  const { id, command, project, resources, started } = action
  const on = resources.map(({ type, id: resource }) => `${type} ${resource}`).join(', ')
  return oneLine(`  ${id} ${command} on ${on || 'nothing'} of ${project.name}, since ${started}: ${waitsFor(action)}`)
}

/** Says what an action waits for. */
export function waitsFor({ waits_for: kind, step, behind, until, worker, attempts }: ShownAction): string {
  const words: Readonly<Record<ShownAction['waits_for'], string>> = {
    driver: `${worker} is at the step ${step}, and has it until ${until}`,
    lease: `${worker} had it until ${until} and does not renew that`,
    queue: `waits in the queue ${behind?.queue} behind action ${behind?.action}`,
    backoff: `waits until ${until} for another attempt at the step ${step}, after ${attempts}`,
    time: `takes its time until ${until}`,
    worker: `waits for a worker, at the step ${step}`,
    version: 'waits for a server of another version, which knows it',
  }
  return words[kind]
}
