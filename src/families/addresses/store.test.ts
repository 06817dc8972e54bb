import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type BareDatabase, forEachBareDatabase, gate, run, until } from '../../../test/kit/database/bare-database.ts'
import type { Database } from '../../kernel/data/db.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import { claimAddress, definePools, listAddresses, releaseAddress } from './store.ts'

interface Pools extends BareDatabase {
  claim(family: 4 | 6, owner?: string, db?: Database): Promise<string | undefined>
  release(ip: string): Promise<void>
}

const minute = 60_000

forEachBareDatabase('addresses', (openBare, engineName) => {
  async function open(...cidrs: string[]): Promise<Pools> {
    const bare = await openBare()
    const { db, scope } = bare
    await db.transact((tx) => definePools(tx, cidrs))
    return {
      ...bare,
      claim: (family, owner = 'server:1', on = db) => on.transact((tx) => claimAddress(tx, scope, family, owner)),
      release: (ip) => db.transact((tx) => releaseAddress(tx, scope, ip)),
    }
  }

  test('claimers at the same time drain a pool, each address once, and then hear that there is none', async () => {
    const pools = await open('192.0.2.0/26')
    const handles = engineName === 'sqlite' ? [pools.db] : [pools.db, await pools.another(), await pools.another()]
    const claimed: (string | undefined)[] = []
    const claimer = async (_: unknown, i: number) => {
      for (let round = 0; round < 2; round++) {
        claimed.push(await pools.claim(4, `server:${i}`, handles[i % handles.length]))
      }
    }
    await Promise.all(Array.from({ length: 40 }, claimer))
    const given = claimed.filter((ip) => ip !== undefined)
    // Of 64 the network's own and the broadcast address are not for hosts.
    assert.equal(given.length, 62)
    assert.equal(new Set(given).size, 62)
    assert.ok(!given.includes('192.0.2.0') && !given.includes('192.0.2.63'))
    const rows = await listAddresses(pools.db.query)
    assert.deepEqual(rows.map(({ ip }) => ip).sort(), [...given].sort(), 'every address has exactly one owner')
    assert.ok(rows.every(({ owner, project_id }) => owner !== null && project_id === pools.scope.projectId))
    assert.equal(await pools.claim(4), undefined)
  })

  test('a released address rests for ten minutes', async () => {
    const pools = await open('192.0.2.8/30')
    const [first, second] = [await pools.claim(4), await pools.claim(4)]
    assert.deepEqual(
      [first, second],
      ['192.0.2.10', '192.0.2.9'].sort((a, b) => (a < b ? -1 : 1)),
    )
    await pools.release(first!)
    pools.clock.advance(10 * minute - 1)
    assert.equal(await pools.claim(4), undefined)
    pools.clock.advance(1)
    assert.equal(await pools.claim(4), first)
  })

  test('an address that was never given out goes before a released one, and of those the one that rested longest', async () => {
    const pools = await open('192.0.2.0/29')
    const given = [await pools.claim(4), await pools.claim(4), await pools.claim(4)] as string[]
    for (const ip of [given[2]!, given[0]!, given[1]!]) {
      await pools.release(ip)
      pools.clock.advance(1_000)
    }
    pools.clock.advance(20 * minute)
    const next = [await pools.claim(4), await pools.claim(4), await pools.claim(4)]
    assert.ok(next.every((ip) => ip !== undefined && !given.includes(ip)))
    assert.deepEqual([await pools.claim(4), await pools.claim(4), await pools.claim(4)], [given[2], given[0], given[1]])
    assert.equal(await pools.claim(4), undefined)
  })

  test('IPv6 is given out in networks of /64', async () => {
    const pools = await open('2001:db8::/62', '192.0.2.0/30')
    const networks = []
    for (let i = 0; i < 4; i++) networks.push(await pools.claim(6))
    assert.deepEqual(networks.sort(), ['2001:db8:0:1::/64', '2001:db8:0:2::/64', '2001:db8:0:3::/64', '2001:db8::/64'])
    assert.equal(await pools.claim(6), undefined)
    assert.equal(await pools.claim(4), '192.0.2.1')
  })

  test('of a pool as large as the Internet only what is needed has rows', async () => {
    const pools = await open('2000::/3', '10.0.0.0/8')
    assert.match((await pools.claim(6))!, /^2000:[0-9a-f:]*::\/64$/)
    assert.match((await pools.claim(4))!, /^10\.0\.0\.\d+$/)
    assert.ok((await listAddresses(pools.db.query)).length <= 128)
  })

  test('pools that overlap or are configured again give each address once', async () => {
    const pools = await open('192.0.2.0/28', '192.0.2.0/29', '192.0.2.8/32')
    const given = new Set<string>()
    for (let ip = await pools.claim(4); ip !== undefined; ip = await pools.claim(4)) {
      assert.ok(!given.has(ip), `${ip} is given out twice`)
      given.add(ip)
      await pools.db.transact((tx) => definePools(tx, ['192.0.2.0/28']))
    }
    assert.equal(given.size, 14)
    await pools.db.transact((tx) => definePools(tx, []))
    await pools.db.transact((tx) => definePools(tx, ['198.51.100.7/32', '198.51.100.7/32']))
    assert.equal(await pools.claim(4), '198.51.100.7')
    assert.equal(await pools.claim(4), undefined)
  })

  test('pools that nothing was given of are forgotten once they are not configured any longer', async () => {
    const pools = await open('192.0.2.0/24', '198.51.100.7/32', '2001:db8::/32', '203.0.113.0/31')
    assert.equal(await pools.claim(4, 'server:1'), '192.0.2.1')
    await pools.db.transact((tx) => definePools(tx, ['10.0.0.0/30', 'fd00:1::/48']))
    const left = await pools.db.query.selectFrom('address_pool').select('cidr').orderBy('cidr').execute()
    assert.deepEqual(
      left.map(({ cidr }) => cidr),
      ['10.0.0.0/30', '192.0.2.0/24', 'fd00:1::/48'],
    )
    assert.match((await pools.claim(6))!, /^fd00:1:/)
  })

  test('what is no pool is refused', async () => {
    for (const cidr of ['192.0.2.0/33', 'nonsense', '2001:db8::/65']) {
      await assert.rejects(open(cidr), new RegExp(`address pool ${cidr}`))
    }
  })

  test('nobody releases the address of another Project', async () => {
    const pools = await open('192.0.2.0/30')
    const ip = await pools.claim(4, 'server:7')
    const stranger = { projectId: (pools.scope.projectId + 1) as ProjectId }
    await pools.db.transact((tx) => releaseAddress(tx, stranger, ip!))
    const [row] = (await listAddresses(pools.db.query)).filter((address) => address.ip === ip)
    assert.equal(row?.owner, 'server:7')
    assert.equal(row.project_id, pools.scope.projectId)
  })

  test('a claim that rolls back gives the address and the rows back', async () => {
    const pools = await open('192.0.2.0/31')
    const failed = pools.db.transact(async (tx) => {
      await claimAddress(tx, pools.scope, 4, 'server:1')
      throw new Error('no')
    })
    await assert.rejects(failed, /no/)
    assert.deepEqual([await pools.claim(4), await pools.claim(4)].sort(), ['192.0.2.0', '192.0.2.1'])
  })

  test('looking for a free address uses its index', async () => {
    const pools = await open('10.0.0.0/8')
    await pools.claim(4)
    const statement = `select ip from address
      where family = 4 and owner is null and released_at <= 1000 order by released_at, ip limit 1`
    const plan = await pools.db.transact(async (tx) => {
      // On tables as small as these PostgreSQL would rather read everything.
      if (engineName === 'postgres') await sql`set local enable_seqscan = off`.execute(tx.query)
      const explain = engineName === 'sqlite' ? 'explain query plan' : 'explain'
      return JSON.stringify((await sql.raw(`${explain} ${statement}`).execute(tx.query)).rows)
    })
    assert.match(plan, /(SEARCH address USING INDEX|Index (Only )?Scan using) address_free/)
    assert.doesNotMatch(plan, /TEMP B-TREE|Sort/)
  })
})

/** Makes a pool each address of which was given out and has rested, so that no more rows will come. */
async function useUp({ db, scope, clock }: BareDatabase, cidr: string): Promise<void> {
  await db.transact((tx) => definePools(tx, [cidr]))
  await db.transact(async (tx) => {
    const given: string[] = []
    for (let ip = await claimAddress(tx, scope, 4, 'x'); ip; ip = await claimAddress(tx, scope, 4, 'x')) given.push(ip)
    for (const ip of given) await releaseAddress(tx, scope, ip)
  })
  clock.advance(10 * minute)
}

forEachBareDatabase(
  'addresses in several processes',
  (openBare) => {
    for (const outcome of ['rolls back', 'commits']) {
      test(`who comes while the last address is held waits: its holder ${outcome}`, async () => {
        const bare = await openBare()
        const { db, scope, another } = bare
        await useUp(bare, '192.0.2.1/32')
        const rivals = [await another(), await another()]
        const hold = gate()
        const holder = db.transact(async (tx) => {
          await claimAddress(tx, scope, 4, 'server:1')
          await hold.pass()
          if (outcome === 'rolls back') throw new Error('no')
        })
        const ended = outcome === 'commits' ? holder : assert.rejects(holder, /no/)
        await until(() => hold.arrived === 1)
        const claims = rivals.map((rival, i) => rival.transact((tx) => claimAddress(tx, scope, 4, `server:${i + 2}`)))
        const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        await until(async () => (await run(db, waiting)).length === 2)
        hold.open()
        await ended
        const given = (await Promise.all(claims)).filter((ip) => ip !== undefined)
        assert.deepEqual(given, outcome === 'commits' ? [] : ['192.0.2.1'])
      })
    }

    test('claims of which many roll back find every address that is free', async () => {
      const bare = await openBare()
      const { db, scope, another } = bare
      await useUp(bare, '192.0.2.0/28')
      const handles = [db, await another()]
      // At any time at most 14 are claimed, and there are 14: nobody may hear that there is none.
      const claimer = async (i: number) => {
        for (let round = 0; round < 12; round++) {
          const work = handles[i % 2]!.transact(async (tx) => {
            assert.ok(await claimAddress(tx, scope, 4, `server:${i}`), 'a false "none left"')
            throw new Error('roll back')
          })
          await assert.rejects(work, /roll back/)
        }
      }
      await Promise.all(Array.from({ length: 14 }, (_, i) => claimer(i)))
    })
  },
  ['postgres'],
)
