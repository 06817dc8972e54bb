import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase, forProjects, type Open, type World, type WorldOptions } from '../../../../test/kit/harness.ts'
import { certify, der, keyPem, party, pem } from '../../../../test/kit/samples/certificates.ts'
import { type MailServer, openMailServer } from '../../../../test/stubs/smtp.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { changeOwner } from '../../../kernel/mail/outbox.ts'
import { parseSmtpUrl, smtpSender } from '../../../kernel/mail/smtp.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { dayMs } from '../domain.ts'

const end = '2027-02-01T00:00:00Z'
const endMs = Date.parse(end)
const utcTime = (time: string) => der(0x17, Buffer.from(`${time.slice(2).replace(/[-:T]/g, '')}`))

/** A pair that can be uploaded, valid until `end`. */
function ending(domain = 'www.example.com', until = end) {
  const self = party(domain)
  const validity = der(0x30, utcTime('2026-01-01T00:00:00Z'), utcTime(until))
  const certificate = pem('CERTIFICATE', certify(self, self, { domains: [domain], validity }))
  return { certificate, private_key: keyPem(self.privateKey) }
}

interface Post {
  readonly world: World
  readonly server: MailServer
  readonly scope: ProjectScope
  /** Runs the background jobs and the mailer so many days before the end; returns the subjects that came. */
  at(days: number): Promise<string[]>
}

type Context = { after(work: () => Promise<void>): void }

async function openPost(open: Open, t: Context, options: WorldOptions = {}): Promise<Post> {
  const server = await openMailServer()
  t.after(() => server.close())
  const send = smtpSender(parseSmtpUrl(server.url)!, 'cloud@example.com')
  const world = await open({ mail: { send }, ...options })
  const project = await acrossProjects(world.db.query)
    .selectFrom('project')
    .select('id')
    .orderBy('id')
    .executeTakeFirstOrThrow()
  const scope = { projectId: project.id }
  await world.db.transact((tx) => changeOwner(tx, scope, 'owner@example.org'))
  const at = async (days: number) => {
    world.clock.set(new Date(endMs - days * dayMs).toISOString())
    const before = server.received.length
    await world.app.jobs.run()
    await world.app.mailer.run()
    return server.received.slice(before).map((mail) => mail.header('subject')!)
  }
  return { world, server, scope, at }
}

const upload = async ({ world }: Post, name: string, pair = ending()) => {
  const answer = await world.api.post('/certificates', { name, ...pair })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.certificate
}

forProjects('mail about uploaded certificates', (open, inProcesses) => {
  test('comes 30, 7 and 1 days before the end of an uploaded one, once each, and not after it', async (t) => {
    const post = await openPost(open, t)
    const { id } = await upload(post, 'web')
    const seen: [number, string[]][] = []
    for (let days = 40; days > -3; days -= 0.25) {
      const subjects = await post.at(days)
      if (subjects.length > 0) seen.push([days, subjects])
    }
    assert.deepEqual(seen, [
      [30, [`Expires within 30 days: certificate ${id}`]],
      [7, [`Expires within 7 days: certificate ${id}`]],
      [1, [`Expires within a day: certificate ${id}`]],
    ])
    const { raw } = post.server.received[0]!
    for (const fact of [
      `Certificate: web (ID ${id})`,
      'Domains: www[.]example[.]com',
      `Valid until: ${end}`,
      'Project: first',
    ])
      assert.ok(raw.includes(fact), fact)
  })

  test('says of one that is uploaded late, or of a cloud that stood still, only what is nearest', async (t) => {
    const post = await openPost(open, t)
    await post.at(5.5)
    const late = await upload(post, 'late')
    assert.deepEqual(await post.at(5), [`Expires within 5 days: certificate ${late.id}`])
    assert.deepEqual(await post.at(4), [])
    assert.deepEqual(await post.at(0.5), [`Expires within a day: certificate ${late.id}`])
    await post.at(60)
    const { id } = await upload(post, 'forgotten', ending('www.example.org'))
    assert.deepEqual(await post.at(3), [`Expires within 3 days: certificate ${id}`])
  })

  test('is about each certificate by itself, and not about those that are gone', async (t) => {
    const post = await openPost(open, t)
    const pair = ending()
    const gone = await upload(post, 'gone', pair)
    const kept = [await upload(post, 'a', pair), await upload(post, 'b', pair)]
    await post.world.api.delete(`/certificates/${gone.id}`)
    assert.deepEqual(
      (await post.at(30)).sort(),
      kept.map(({ id }) => `Expires within 30 days: certificate ${id}`).sort(),
    )
    assert.deepEqual(await post.at(29), [])
  })

  test('fails nothing in a Project without an owner, who hears of what is near once there is one', async (t) => {
    const post = await openPost(open, t)
    await post.world.db.transact((tx) => changeOwner(tx, post.scope, null))
    const { id } = await upload(post, 'web')
    assert.deepEqual(await post.at(30), [])
    await post.world.db.transact((tx) => changeOwner(tx, post.scope, 'owner@example.org'))
    assert.deepEqual(await post.at(20), [`Expires within 20 days: certificate ${id}`])
  })

  inProcesses(() => {
    test('comes once from two processes', async (t) => {
      const post = await openPost(open, t)
      const second = await open({ database: post.world.database, clock: post.world.clock })
      const { id } = await upload(post, 'web')
      post.world.clock.set(new Date(endMs - 7 * dayMs).toISOString())
      await Promise.all([post.world.app.jobs.run(), second.app.jobs.run()])
      assert.deepEqual(await post.at(7), [`Expires within 7 days: certificate ${id}`])
    })
  })
})

forEachDatabase('mail about many uploaded certificates', (open) => {
  test('finds all that end', async (t) => {
    const post = await openPost(open, t)
    const { id } = await upload(post, 'web')
    const row = await acrossProjects(post.world.db.query)
      .selectFrom('certificate')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: 450 }, (_, i) => ({ ...row, id: id + 1_000_000 + i, name: `web ${i}` }))
    await post.world.db.transact((tx) => acrossProjects(tx.query).insertInto('certificate').values(rows).execute())
    post.world.clock.set(new Date(endMs - 7 * dayMs).toISOString())
    for (let i = 0; i < 2; i++) await post.world.app.jobs.run()
    const events = await acrossProjects(post.world.db.query).selectFrom('mail').select('event').execute()
    assert.equal(events.length, 451)
  })
})
