/** How long clients have to do without a good answer when something happens to one of three processes, or to their database. */

import { checkRequirements } from '../src/drivers/load-balancers/haproxy/requirements.ts'
import { createProject } from '../src/kernel/access/projects.ts'
import { createToken } from '../src/kernel/access/tokens.ts'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { openDatabase } from '../src/kernel/data/open.ts'
import { until } from '../test/kit/database/bare-database.ts'
import { createDatabase, startPostgres } from '../test/kit/database/postgres.ts'
import { type Installation, isState, startInstallation } from '../test/program/processes/kit/installation.ts'
import { Ledger } from '../test/program/processes/kit/ledger.ts'
import { startReplicated } from '../test/program/processes/kit/replicated.ts'
import { Wire } from '../test/program/processes/kit/wire.ts'
import type { Running, Workshop } from './processes.ts'
import type { Row } from './report.ts'
import type { Effort } from './rounds.ts'

type Member = Running & { readonly baseUrl: string }

/** An installation at work. */
interface Site {
  /** Registers what ends with it. */
  keep(stop: () => Promise<void>): void
  /** The first process finds its database by the first URL. */
  open(
    ...databases: [string, ...string[]]
  ): Promise<{ readonly installation: Installation<Member>; readonly ledger: Ledger }>
}

/** Projects, each with one client. */
const clients = 12
const mostSeconds = 5
const created = '2026-11-21T12:00:00Z'
/** Good answers that each client is given before and after. */
const enough = 40

const faults: Readonly<Record<string, (site: Site) => Promise<Ledger>>> = {
  async 'a process is killed'(site) {
    const { installation, ledger } = await site.open(await databaseFor(site))
    await installation.servers[0].kill()
    await ledger.more(enough)
    return ledger
  },
  async 'a process stands still'(site) {
    const { installation, ledger } = await site.open(await databaseFor(site))
    const { pid } = installation.servers[0]
    process.kill(pid, 'SIGSTOP')
    await until(() => isState(installation, 'a', /DOWN/), 'the balancer misses it')
    await ledger.more(enough)
    process.kill(pid, 'SIGCONT')
    await until(() => isState(installation, 'a', /UP/), 'it is back')
    return ledger
  },
  async 'a process is cut off from the database'(site) {
    const url = await databaseFor(site)
    const wire = new Wire(url)
    site.keep(() => wire.stop())
    const { installation, ledger } = await site.open(await wire.start(), url)
    wire.cut()
    await until(() => isState(installation, 'a', /NOLB|DOWN/), 'the balancer hears of it')
    await ledger.more(enough)
    wire.mend()
    await until(() => isState(installation, 'a', /UP/), 'it is back')
    return ledger
  },
  async 'the database fails over, besides the time until its replica is promoted'(site) {
    const database = await startReplicated()
    site.keep(() => database.stop())
    const { ledger } = await site.open(database.url)
    await database.killPrimary()
    await database.promote()
    await ledger.more(enough)
    return ledger
  },
}

/** Measures each fault some times. Errors: an assertion where an acknowledged write is lost. */
export async function outages(workshop: Workshop, { rounds }: Effort): Promise<Row[]> {
  await checkRequirements('haproxy')
  const rows: Row[] = []
  for (const [what, happens] of Object.entries(faults)) {
    let longest = 0
    const notes: string[] = []
    for (let round = 0; round < rounds; round++) {
      const ledger = await measure(workshop, happens)
      longest = Math.max(longest, ...ledger.pages.map(({ longestMs }) => longestMs / 1_000))
      notes.push(ledger.inWords)
      console.error(`${what}: ${ledger.inWords}`)
    }
    const bar = { text: `<= ${mostSeconds}`, met: longest <= mostSeconds }
    rows.push({ name: `longest outage: ${what}`, unit: 's', wolke: longest, bar, note: notes.join(' | ') })
  }
  return rows
}

async function measure(workshop: Workshop, happens: (site: Site) => Promise<Ledger>): Promise<Ledger> {
  const stops: (() => Promise<void>)[] = []
  const keep = (stop: () => Promise<void>) => void stops.unshift(workshop.keep(stop))
  const folder = workshop.directory
  const serve = async (url: string, ...more: string[]) => {
    const running = await workshop.serve(url, { more })
    return { ...running, baseUrl: running.url + publicBase }
  }
  try {
    const ledger = await happens({
      keep,
      async open(...databases) {
        const installation = await startInstallation({ folder, serve }, databases)
        keep(() => installation.stop())
        const ledger = new Ledger()
        ledger.begin(installation.baseUrl, await tokensIn(databases.at(-1)!))
        keep(() => ledger.end())
        await ledger.more(enough)
        return { installation, ledger }
      },
    })
    await ledger.end()
    await ledger.check()
    return ledger
  } finally {
    for (const stop of stops) await stop()
  }
}

async function databaseFor({ keep }: Site): Promise<string> {
  const server = await startPostgres({ durable: true })
  keep(() => server.stop())
  return (await createDatabase(server.url)).url
}

async function tokensIn(url: string): Promise<string[]> {
  const db = await openDatabase({ engine: 'postgres', url }, { clock: { now: () => Date.parse(created) } })
  try {
    return await db.transact(async (tx) => {
      const tokens: string[] = []
      for (let at = 0; at < clients; at++) {
        const project = await createProject(tx, `project-${at}`, created)
        tokens.push(await createToken(tx, { projectId: project.id, name: 'client', readOnly: false, created }))
      }
      return tokens
    })
  } finally {
    await db.close()
  }
}
