import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forDatabasesInTurn } from '../../../test/kit/harness.ts'
import { placeChallenge } from '../../families/zones/effects.ts'
import { defaultZoneSettings } from '../../families/zones/settings.ts'
import type { DriverError } from '../../kernel/actions/define.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { resolvingDelegation } from './delegation.ts'

forDatabasesInTurn('The delegation of a zone', (open) => {
  /** Starts a name server that also acts as the resolver, with a zone in it. */
  async function start() {
    const { app, db, api } = await open()
    const settings = defaultZoneSettings('wolke.example')
    const server = await app.serveDns({ host: '127.0.0.1', port: 0 })
    const { zone } = (await api.post('/zones', { name: 'ours.example', mode: 'primary' })).body
    return { db, api, settings, server, zone, resolver: `127.0.0.1:${server.port}` }
  }

  test('is what a resolver says: to our name servers, to others, or nothing that can be relied on', async () => {
    const { settings, api, resolver } = await start()
    const ns = { name: '@', type: 'NS', records: [{ value: 'ns.elsewhere.example.' }] }
    await api.post('/zones', { name: 'theirs.example', mode: 'primary', rrsets: [ns] })
    const delegation = resolvingDelegation({ nameservers: settings.nameservers, resolver })
    assert.equal(await delegation.isDelegated('ours.example'), true)
    const others = resolvingDelegation({ nameservers: ['ns.elsewhere.example.'], resolver })
    assert.equal(await others.isDelegated('ours.example'), false)
    await assert.rejects(delegation.isDelegated('unknown.example'), (error: DriverError) => {
      assert.deepEqual([error.transient, error.code], [true, 'could_not_verify_domain_delegated_to_zone'])
      return true
    })
  })

  test('lets a challenge wait until our name servers answer it, wherever they are', async () => {
    const { db, server, settings, zone, api, resolver } = await start()
    const addresses = { name: 'ns1', type: 'A', records: [{ value: '127.0.0.1' }] }
    await api.post('/zones', { name: 'wolke.example', mode: 'primary', rrsets: [addresses] })
    const looks: string[] = []
    const delegation = resolvingDelegation({
      nameservers: settings.nameservers,
      resolver,
      port: server.port,
      lookMs: 1,
    })
    const challenge = { zoneId: zone.id, domain: 'www.ours.example', value: 'value' }
    const waiting = delegation.awaitChallenge('ours.example', challenge).then(() => looks.push('seen'))
    const { project_id: projectId } = await acrossProjects(db.query)
      .selectFrom('zone')
      .select('project_id')
      .executeTakeFirstOrThrow()
    await delegation.isDelegated('ours.example')
    looks.push('placed')
    await db.transact((tx) => placeChallenge(tx, { projectId }, challenge))
    await waiting
    assert.deepEqual(looks, ['placed', 'seen'])
  })
})
