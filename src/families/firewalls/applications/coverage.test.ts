/** What replies show of firewalls that are applied to much, held against what was written. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, forEachDatabase, type World } from '../../../../test/kit/harness.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { lockProject } from '../../../kernel/access/projects.ts'
import { parseSelector } from '../../../kernel/contract/selectors.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { packedAtOnce } from '../../../kernel/data/steps.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { newFirewall } from '../proof.ts'
import { dropMatches, insertApplication, putMatches } from './store.ts'

type Shown = { readonly type: string; readonly applied_to_resources?: Shown[] }

const entryOf = (id: number) => ({ type: 'server', server: { id } })

/** A firewall, and what replies have to show of it. */
class Covering {
  readonly id: number
  readonly shown: Shown[] = []
  readonly #db: World['db']
  readonly #scope: ProjectScope

  constructor(id: number, db: World['db'], scope: ProjectScope) {
    this.id = id
    this.#db = db
    this.#scope = scope
  }

  async addServers(some: readonly number[]): Promise<void> {
    await this.#db.transact(async (tx) => {
      await lockProject(tx, this.#scope, 'update')
      for (const serverId of some) await insertApplication(tx, this.#scope, this.id, { serverId })
    })
    this.shown.push(...some.map(entryOf))
  }

  async addSelector(selector: string, matched: readonly number[]): Promise<Shown[]> {
    const parsed = parseSelector(selector)
    assert.ok(parsed.ok)
    await this.#db.transact(async (tx) => {
      await lockProject(tx, this.#scope, 'update')
      const applicationId = await insertApplication(tx, this.#scope, this.id, { selector: parsed.selector })
      await putMatches(tx, this.#scope, { firewallId: this.id, applicationId }, matched)
    })
    const resources = matched.map(entryOf)
    this.shown.push({
      ...{ type: 'label_selector', label_selector: { selector } },
      applied_to_resources: resources,
    })
    return resources
  }

  async drop(server: number): Promise<void> {
    await this.#db.transact(async (tx) => {
      await lockProject(tx, this.#scope, 'update')
      await dropMatches(tx, this.#scope, this.id, [server])
    })
  }

  async check(api: Client): Promise<void> {
    const one = expect(await api.get(`/firewalls/${this.id}`), 200).body.firewall
    assert.deepEqual(one.applied_to, this.shown)
    const all = expect(await api.get('/firewalls'), 200).body.firewalls as { id: number }[]
    assert.deepEqual(
      all.find(({ id }) => id === this.id),
      one,
    )
  }
}

forEachDatabase('what large firewalls show', (open) => {
  test('is every change of what they are applied to, in its order', async () => {
    const { api, db } = await open({ runActions: false })
    const project = acrossProjects(db.query).selectFrom('project').select('id').orderBy('id')
    const scope = { projectId: (await project.executeTakeFirstOrThrow()).id }
    const servers = await db.transact((tx) => tx.drawIds(3 * packedAtOnce))
    const small = new Covering(await newFirewall(api, 'small'), db, scope)
    const large = new Covering(await newFirewall(api, 'large'), db, scope)
    const last = new Covering(await newFirewall(api, 'last'), db, scope)
    const all = [small, large, last]
    for (const one of all) await one.addServers(servers.slice(0, 3))
    await last.addSelector('env=prod', servers.slice(10, 20))
    const odd = await large.addSelector(
      'env in (a,b)',
      servers.filter((_, index) => index % 2 === 1),
    )
    for (const one of all) await one.check(api)
    await large.addServers(servers.slice(3, 120).reverse())
    await large.addSelector(
      'tier',
      servers.filter((_, index) => index % 2 === 0),
    )
    await large.addSelector('none', [])
    for (const one of all) await one.check(api)
    await large.drop(servers[1_001]!)
    odd.splice(500, 1)
    await small.addSelector('late', servers)
    for (const one of all) await one.check(api)
  })
})
