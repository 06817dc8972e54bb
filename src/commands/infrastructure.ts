/**
 * `wolke infrastructure` looks at hosts: whether they can be used, how they differ from what is wanted, whose they are. And
 * it brings images onto them.
 */
import { Command } from 'commander'
import { type Config, databaseOption, keyFileOption, previousKeyFileOption, serveOptions } from '../config/config.ts'
import { hostsOptions } from '../config/hosts.ts'
import type { Finding } from '../drivers/hosts/finding.ts'
import type { Database } from '../kernel/data/db.ts'
import { adopt as adoptHosts } from '../reconcile/adopt.ts'
import { installationName } from '../reconcile/installation.ts'
import { nameOf } from '../reconcile/inventory.ts'
import { planFor } from '../reconcile/plan.ts'
import { withDatabase } from './database.ts'
import { forEachCluster, opened } from './each-cluster.ts'
import { CommandFailure } from './failure.ts'
import { imageCommand } from './infrastructure-image.ts'
import { type KeyFiles, openKeyring, readKeyFiles, unlockSecrets } from './keyring.ts'
import { readCatalogue } from './options.ts'
import { jsonOption, type ListOptions, printList } from './output.ts'

type Options = Config & ListOptions

/** Those of `wolke serve` that say where hosts are. */
const shared = ['--catalogue', '--metadata-listen', ...hostsOptions().map(({ long }) => long)]
const optionsOfHosts = () => serveOptions().filter(({ long }) => shared.includes(long))

export function infrastructureCommand(): Command {
  const command = new Command('infrastructure').description(
    'look at the hosts that run the machines, and bring images onto them',
  )
  command
    .command('check')
    .description(
      'whether the engines are reachable and have what is needed, and whether packets pass between all hosts',
    )
    .addOption(jsonOption())
    .action((options: Options) => check(options))
  command
    .command('diff')
    .description('how what is on the hosts differs from what the database wants; 1 is the exit code if it does')
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action((options: Options) => diff(options))
  command
    .command('adopt')
    .description('mark what is known and has lost its marks, and let this installation remove what nobody wants')
    .addOption(databaseOption())
    .addOption(keyFileOption())
    .addOption(previousKeyFileOption())
    .action((options: Options) => adopt(options))
  command.addCommand(imageCommand())
  for (const one of command.commands) for (const option of optionsOfHosts()) one.addOption(option)
  return command
}

interface Checked extends Finding {
  readonly infrastructure: string
}

async function check(options: Options): Promise<void> {
  const { images } = await readCatalogue(options.catalogue)
  const found: Checked[] = []
  await forEachCluster(options, async (open, infrastructure) => {
    const add = (finding: Finding) => found.push({ infrastructure, ...finding })
    try {
      const hosts = await open()
      for (const finding of await untilInterrupted((signal) => hosts.check(images, signal))) add(finding)
    } catch (error) {
      if (error instanceof CommandFailure) throw error
      add({ what: 'connection', isFine: false, says: (error as Error).message })
    }
  })
  await printList(console.log, found, options, ({ infrastructure, what, isFine, says }) => [
    infrastructure,
    what,
    isFine ? 'ok' : 'FAILS',
    says,
  ])
  if (found.some(({ isFine }) => !isFine)) process.exitCode = 1
}

/** Does work that clears up before it ends, also when the operator ends it. Errors: those of the work, `CommandFailure`. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new CommandFailure('interrupted', 130))
  for (const name of signals) process.on(name, interrupt)
  try {
    const done = await work(interruption.signal)
    interruption.signal.throwIfAborted()
    return done
  } finally {
    for (const name of signals) process.off(name, interrupt)
  }
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** One way in which hosts differ from what is wanted. */
interface Difference {
  readonly infrastructure: string
  readonly what: string
  readonly is: string
}

async function diff(options: Options): Promise<void> {
  const found: Difference[] = []
  await withDatabase(options.database, (db) =>
    forEachCluster(options, async (open, infrastructure) => {
      const { differing, orphans, unmarked } = await planFor(db.query, await opened(open))
      for (const { desired, row, is } of differing) {
        found.push({ infrastructure, what: `${desired.target} ${row.id}: ${desired.title}`, is })
      }
      for (const one of orphans) found.push({ infrastructure, what: nameOf(one), is: 'wanted by nobody' })
      for (const one of unmarked) found.push({ infrastructure, what: nameOf(one), is: 'without its marks' })
    }),
  )
  await printList(console.log, found, options, ({ infrastructure, what, is }) => [infrastructure, what, is])
  if (found.length > 0) process.exitCode = 1
}

async function adopt(options: Options): Promise<void> {
  const keys = readKeyFiles(options)
  await withDatabase(options.database, async (db) => {
    const installation = await nameIn(db, keys)
    await forEachCluster(options, async (open, infrastructure) => {
      const { isNew, marked, orphans } = await adoptHosts(db.query, await opened(open), installation)
      const tell = (what: string, is: string) => console.log([infrastructure, what, is].join('\t'))
      if (isNew) tell('hosts', 'taken over')
      for (const thing of marked) tell(nameOf(thing), 'marked again')
      // Whoever has taken over the wrong hosts sees it here, before anything is removed.
      for (const thing of orphans) tell(nameOf(thing), 'wanted by nobody')
    })
  })
}

async function nameIn(db: Database, keys: KeyFiles): Promise<string> {
  return installationName(await unlockSecrets(db, await openKeyring(db, keys)), db)
}
