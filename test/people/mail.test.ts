/** Mail with links: neither a crash nor a mail server that is away loses it, and the database does not reveal the links. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Authenticator } from '../../src/kernel/access/tokens.ts'
import { MailRefused, type SendMail } from '../../src/kernel/mail/smtp.ts'
import { openLog } from '../../src/kernel/process/log.ts'
import { openPeople, tidyPeople } from '../../src/people/open.ts'
import { forEachDatabase, type Open, type World } from '../harness.ts'
import { adminEmail, own, password, setUp, TestBrowser } from './browser.ts'

const origin = 'https://cloud.example.com'

/** Opens an installation whose mail server answers as a test says. */
async function openWith(open: Open, send: SendMail) {
  const lines: string[] = []
  const log = openLog('trace', { write: (line) => void lines.push(line) })
  const world = await open({ runActions: false, publicOrigins: [origin], mail: { send }, log })
  return { world, lines, admin: await setUp(world) }
}

const waiting = ({ db }: World) => db.query.selectFrom('person_mail').selectAll().execute()

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await turn()
}

/** The mail of the process that comes after. */
async function nextProcess({ db, clock, secrets }: World, send: SendMail) {
  const log = openLog('silent')
  const authenticator = new Authenticator(db, undefined, () => clock.now())
  const { mail } = await openPeople({ db, clock, log, secrets, authenticator, publicOrigins: [origin], send })
  return mail!
}

forEachDatabase('mail with links', (open) => {
  test('that could not be sent is sent by the next process, with links that count, and is sealed until then', async () => {
    let attempts = 0
    const { world, lines, admin } = await openWith(open, async () => {
      attempts++
      throw new Error('the mail server is away')
    })
    assert.equal((await admin.api('POST', `${own}/people`, { email: 'max@example.com' })).body.link, null)
    await new TestBrowser(world).post('/console/reset', { email: adminEmail })
    await until(() => attempts === 2)
    await world.app.people.mail!.stop()
    const rows = await waiting(world)
    assert.equal(rows.length, 2)
    assert.ok(!JSON.stringify(rows).includes('console/reset') && !JSON.stringify(rows).includes('max@example.com'))
    const sent: { recipient: string; link: string; id: string }[] = []
    const next = await nextProcess(world, async ({ recipient, content, message_id: id }) => {
      sent.push({ recipient, link: content.facts.Link!, id })
    })
    await world.db.transact((tx) => tx.query.updateTable('person_mail').set({ next_attempt_at: 0 }).execute())
    await next.start()
    await until(async () => (await waiting(world)).length === 0)
    await next.stop()
    assert.deepEqual(sent.map(({ recipient }) => recipient).sort(), [adminEmail, 'max@example.com'])
    assert.deepEqual(sent.map(({ id }) => id).sort(), rows.map(({ message_id }) => message_id).sort())
    const { link } = sent.find(({ recipient }) => recipient === 'max@example.com')!
    const code = link.split('#')[1]!
    const used = await new TestBrowser(world).post('/console/reset/password', { code, go: '1', password })
    assert.equal(used.status, 303)
    assert.ok(lines.length > 0 && !lines.join('').includes(code))
  })

  test('is queued in the same way for addresses that nobody has, and for them ends without a mail', async () => {
    const { world } = await openWith(open, async () => assert.fail('there is nobody to write to'))
    const known = await new TestBrowser(world).post('/console/reset', { email: 'nobody@example.com' })
    assert.equal(known.status, 200)
    await until(async () => (await waiting(world)).length === 0)
  })

  test('that the server refuses is given up, and so is one whose link has ended', async () => {
    let answer = new MailRefused('no such mailbox') as Error
    const { world, lines, admin } = await openWith(open, async () => {
      throw answer
    })
    const make = (email: string) => admin.api('POST', `${own}/people`, { email })
    await make('max@example.com')
    await until(() => lines.some((line) => line.includes('given up')))
    await until(async () => (await waiting(world)).length === 0)
    answer = new Error('away')
    await make('eva@example.com')
    await until(() => lines.some((line) => line.includes('could not be sent yet')))
    await world.app.people.mail!.stop()
    world.clock.advance(86_400_001)
    await tidyPeople(world.app.people)
    assert.deepEqual(await waiting(world), [])
  })
})
