/** Three processes behind a balancer, of which something happens to one, or to their database, while Projects are at work. */
import assert from 'node:assert/strict'
import { after, suite, type TestContext, test } from 'node:test'
import { until } from '../../kit/database/bare-database.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../../kit/database/postgres.ts'
import { program } from '../kit/program.ts'
import { besideBalancer, type Installation, isState, makeProjects, startInstallation } from './kit/installation.ts'
import { Keeper, Ledger } from './kit/ledger.ts'
import { startReplicated } from './kit/replicated.ts'
import { Wire } from './kit/wire.ts'

const wolke = program('faults')
after(closeAdmin)

interface Working {
  readonly installation: Installation
  readonly ledger: Ledger
  /** The tokens of the Projects. */
  readonly tokens: readonly string[]
  /** Ends the work, tells what the clients saw, and expects that nothing is lost. */
  finish(): Promise<void>
}

/** Starts processes that find their database by these URLs, and clients of several Projects. */
async function work(t: TestContext, databases: readonly [string, ...string[]], ...options: string[]): Promise<Working> {
  const installation = await startInstallation(wolke, databases, ...options)
  t.after(() => installation.stop())
  const tokens = await makeProjects(wolke, databases.at(-1)!, installation)
  const ledger = new Ledger()
  ledger.begin(installation.baseUrl, tokens)
  t.after(() => ledger.end())
  await ledger.more(30)
  return {
    installation,
    ledger,
    tokens,
    async finish() {
      await ledger.end()
      t.diagnostic(ledger.inWords)
      await ledger.check()
    },
  }
}

async function openDatabase(t: TestContext): Promise<string> {
  const { url, drop } = await createDatabase(await postgresUrl())
  t.after(drop)
  return url
}

/** Each client may lose so many connections, and hear of so many commits that nobody knows what became of them. */
interface Bearable {
  readonly connections: number
  readonly commits?: number
}

/** Expects that clients were told nothing else but that they may try again. */
function checkTroubles({ pages }: Ledger, { connections, commits = 0 }: Bearable): void {
  for (const { troubles } of pages) {
    const lost = troubles.filter((one) => typeof one === 'string')
    assert.ok(lost.length <= connections, `connections that ended: ${lost}`)
    const unknown = troubles.filter((one) => one === 500)
    assert.ok(unknown.length <= commits, `${unknown.length} outcomes are unknown`)
    const others = troubles.filter((one) => typeof one === 'number' && one !== 500 && one !== 503)
    assert.deepEqual(others, [])
  }
}

suite('While Projects are at work', besideBalancer, () => {
  test('a process is killed: others go on with what it had begun', async (t) => {
    const { installation, ledger, finish } = await work(t, [await openDatabase(t)], '--action-delay', '20')
    await installation.servers[0].kill()
    await ledger.more(60)
    await finish()
    // The kernel takes what a process has open one by one, so that it may still take a client's next connection down with it.
    checkTroubles(ledger, { connections: 2 })
  })

  test('a process stands still for longer than its leases, and does nothing with them when it goes on', async (t) => {
    const { installation, ledger, tokens, finish } = await work(t, [await openDatabase(t)], '--action-delay', '20')
    const [still] = installation.servers
    const keeper = new Keeper(installation.baseUrl, tokens[0]!)
    t.after(() => keeper.close())
    still.child.kill('SIGSTOP')
    t.after(() => still.child.kill('SIGCONT'))
    await until(() => isState(installation, 'a', /DOWN/), 'the balancer misses it')
    await ledger.more(60)
    await ledger.end()
    const running = async () => (await keeper.send('GET', '/servers/actions?status=running')).json.actions
    await until(async () => (await running()).length === 0, 'others have ended what it had begun')
    const list = async () => (await keeper.send('GET', '/servers/actions?sort=id:desc&per_page=50')).json.actions
    // The newest of these are on the first page afterwards, too.
    const before = (await list()).slice(0, 25)
    still.child.kill('SIGCONT')
    await until(() => isState(installation, 'a', /UP/), 'it is back')
    // A request that it had begun to read may start others now.
    const known = new Set(before.map(({ id }: { id: number }) => id))
    assert.deepEqual(
      (await list()).filter(({ id }: { id: number }) => known.has(id)),
      before,
    )
    await finish()
    checkTroubles(ledger, { connections: 1 })
  })

  test('a process is cut off from the database, and comes back', async (t) => {
    const database = await openDatabase(t)
    const wire = new Wire(database)
    t.after(() => wire.stop())
    const { installation, ledger, finish } = await work(t, [await wire.start(), database], '--action-delay', '20')
    wire.cut()
    await until(() => isState(installation, 'a', /NOLB|DOWN/), 'the balancer hears of it')
    await ledger.more(60)
    wire.mend()
    await until(() => isState(installation, 'a', /UP/), 'it is back')
    await ledger.more(30)
    await finish()
    // It can ask nobody what became of a commit that was under way.
    checkTroubles(ledger, { connections: 1, commits: 1 })
  })

  test('the primary of the database is killed, and its replica takes over', async (t) => {
    const database = await startReplicated()
    t.after(() => database.stop())
    const { ledger, finish } = await work(t, [`${database.url}?target_session_attrs=read-write`])
    await database.killPrimary()
    // One whose commit is under way hears nothing before there is a primary again.
    await until(() => ledger.troubles.length > 0, 'clients notice')
    await database.promote()
    await ledger.more(60)
    await finish()
    checkTroubles(ledger, { connections: 0 })
  })
})
