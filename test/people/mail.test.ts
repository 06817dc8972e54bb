/** Mail with links: neither a crash nor a mail server that is away loses it, and the database does not reveal the links. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProject } from '../../src/kernel/access/projects.ts'
import { Authenticator } from '../../src/kernel/access/tokens.ts'
import { type Letter, MailRefused, type SendMail } from '../../src/kernel/mail/smtp.ts'
import { renderMail } from '../../src/kernel/mail/template.ts'
import { timestamp } from '../../src/kernel/process/clock.ts'
import { openLog } from '../../src/kernel/process/log.ts'
import { admitInvitation } from '../../src/people/mail/mail-bounds.ts'
import { isPersonMailWaiting, noteSent } from '../../src/people/mail/mail-store.ts'
import { createInvitation } from '../../src/people/memberships/invitation-store.ts'
import { addMember } from '../../src/people/memberships/membership-store.ts'
import { openPeople, tidyPeople } from '../../src/people/open.ts'
import { gate, until } from '../kit/database/bare-database.ts'
import { holdable, untilMet } from '../kit/database/held.ts'
import { forEachDatabase, type Open, type World } from '../kit/harness.ts'
import { adminEmail, own, password, setUp, signIn, TestBrowser } from './kit/browser.ts'

const origin = 'https://cloud.example.com'

/** Opens an installation whose mail server answers as a test says. */
async function openWith(open: Open, send: SendMail) {
  const lines: string[] = []
  const log = openLog('trace', { write: (line) => void lines.push(line) })
  const world = await open({ runActions: false, publicOrigins: [origin], mail: { send }, log })
  return { world, lines, admin: await setUp(world) }
}

const waiting = ({ db }: World) => db.query.selectFrom('person_mail').selectAll().execute()

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
    assert.equal(await isPersonMailWaiting(world.db.query), true)
    assert.ok(!JSON.stringify(rows).includes('console/reset') && !JSON.stringify(rows).includes('max@example.com'))
    const sent: { recipient: string; link: string; id: string }[] = []
    const next = await nextProcess(world, async ({ recipient, content, message_id: id }) => {
      sent.push({ recipient, link: content.facts.Link!, id })
    })
    await world.db.transact((tx) => tx.query.updateTable('person_mail').set({ next_attempt_at: 0 }).execute())
    await next.start()
    await until(async () => (await waiting(world)).length === 0)
    await next.stop()
    assert.equal(await isPersonMailWaiting(world.db.query), false)
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

/** Two Projects whose admin invites people by mail. */
async function openInviting(open: Open, send: SendMail) {
  const { world, admin } = await openWith(open, send)
  const { id: jana } = (await admin.api('GET', `${own}/account`)).body.account
  const projects = await world.db.transact(async (tx) => {
    const made = []
    for (const name of ['https://evil.example/win', 'two']) made.push(await createProject(tx, name, timestamp(tx.now)))
    for (const { id: projectId } of made) await addMember(tx, { projectId }, jana, 'admin')
    return made.map(({ id: projectId }) => ({ projectId }))
  })
  world.app.people.sessions.forget()
  const at = (project: number) => `${own}/projects/${projects[project]!.projectId}/invitations`
  return {
    ...{ world, admin, jana: jana as number, projects: projects as [(typeof projects)[0], (typeof projects)[0]] },
    invite: (email: string, project = 0) => admin.api('POST', at(project), { email, role: 'viewer' }),
    withdraw: (id: number, project = 0) => admin.api('DELETE', `${at(project)}/${id}`),
  }
}

const aboutInvitations = { limits: [{ name: 'invitations' }] }

forEachDatabase('mail that admins of Projects have sent', (open) => {
  test('keeps waiting neither links for new passwords nor the mail of other Projects', async () => {
    const holding = gate()
    const under: string[] = []
    const send: SendMail = async ({ recipient }) => {
      under.push(recipient)
      if (recipient.startsWith('many')) await holding.pass()
    }
    const { world, invite } = await openInviting(open, send)
    try {
      for (let i = 0; i < 12; i++) assert.equal((await invite(`many${i}@example.com`)).status, 201)
      await until(() => holding.arrived > 0)
      await invite('other@example.com', 1)
      await new TestBrowser(world).post('/console/reset', { email: adminEmail })
      await until(() => under.includes(adminEmail) && under.includes('other@example.com'))
      assert.ok(holding.arrived < 12)
    } finally {
      holding.open()
    }
    await until(async () => (await waiting(world)).length === 0)
  })

  test('says nothing of their own in its subject and its text, and leads nowhere but to the invitation', async () => {
    const sent: Letter[] = []
    const { admin, invite } = await openInviting(open, async (mail) => void sent.push(mail))
    await admin.api('PUT', `${own}/account`, { name: 'WIN at https://evil.example' })
    await invite('eva@example.com')
    await until(() => sent.length === 1)
    const { content } = sent[0]!
    const ours = [content.subject, ...content.paragraphs, content.reason].join()
    assert.doesNotMatch(ours, /evil|WIN|jana|win/)
    assert.equal(content.facts['Invited by'], adminEmail)
    const { text, html } = renderMail(content)
    for (const page of [text, html]) {
      const links = page.match(/\w+:\/\/[^\s<]+/g) ?? []
      assert.deepEqual([...new Set(links)], [content.facts.Link])
      assert.ok(page.includes('https[://]evil[.]example/win'))
    }
  })

  test('is bounded: by the open invitations of a Project', async () => {
    const world = await open({ runActions: false })
    const admin = await setUp(world)
    const { project } = (await admin.api('POST', `${own}/projects`, { name: 'shop' })).body
    const scope = { projectId: project.id }
    const inviter = { inviter_id: (await admin.api('GET', `${own}/account`)).body.account.id, inviter_token: null }
    await world.db.transact(async (tx) => {
      const given = { scope, role: 'viewer', inviter, isMailed: false } as const
      for (let i = 0; i < 98; i++) await createInvitation(tx, { ...given, email: `p${i}@example.com` })
    })
    const at = `${own}/projects/${project.id}/invitations`
    const invite = (email: string) => admin.api('POST', at, { email, role: 'viewer' })
    const raced = await Promise.all(['a', 'b', 'c', 'd'].map((name) => invite(`${name}@example.com`)))
    assert.deepEqual(raced.map(({ status }) => status).sort(), [201, 201, 403, 403])
    const refused = await invite('e@example.com')
    assert.deepEqual(
      [refused.status, refused.body.error.code, refused.body.error.details],
      [403, 'resource_limit_exceeded', aboutInvitations],
    )
    assert.equal((await invite('p1@example.com')).status, 201)
    const { invitations } = (await admin.api('GET', at)).body
    assert.equal(invitations.length, 100)
    assert.equal((await admin.api('DELETE', `${at}/${invitations[0].id}`)).status, 204)
    assert.equal((await invite('e@example.com')).status, 201)
    assert.equal((await invite('f@example.com')).status, 403)
  })

  test('is bounded: by what a Project sends in a day, and what all of them send to one address', async () => {
    const { world, admin, projects, invite, withdraw } = await openInviting(open, async () => undefined)
    const [one, two] = projects
    const note = (scope: typeof one, emails: string[]) =>
      world.db.transact(async (tx) => {
        for (const email of emails) await noteSent(tx, scope, email)
      })
    for (let i = 0; i < 3; i++) {
      const { body, status, text } = await invite('eva@example.com')
      assert.equal(status, 201, text)
      assert.equal((await withdraw(body.invitation.id)).status, 204)
    }
    const refused = await invite('EVA@example.com')
    assert.deepEqual([refused.status, refused.body.error.details], [403, aboutInvitations])
    assert.match(
      refused.body.error.message,
      /^a Project cannot send more than 3 invitations a day to eva@example\.com$/,
    )
    assert.equal((await invite('eva@example.com', 1)).status, 201)
    await note(two, Array(20).fill('max@example.com'))
    assert.equal((await invite('max@example.com')).status, 403)
    const three = await world.db.transact((tx) => createProject(tx, 'three', timestamp(tx.now)))
    await note({ projectId: three.id }, Array(19).fill('rosa@example.com'))
    const last = holdable(world.db)
    const { done, release } = last.holdNext()
    const admitted = last.db.transact((tx) => admitInvitation(tx, one, 'rosa@example.com', true))
    await done
    const rival = invite('rosa@example.com', 1)
    await untilMet(world, rival)
    release()
    await admitted
    assert.equal((await rival).status, 403)
    await note(
      one,
      Array.from({ length: 95 }, (_, i) => `p${i}@example.com`),
    )
    assert.equal((await invite('last@example.com')).status, 201)
    const over = await invite('over@example.com')
    assert.deepEqual(
      [over.status, over.body.error.message],
      [403, 'a Project cannot send more than 100 invitations a day'],
    )
    world.clock.advance(86_400_001)
    await signIn(admin)
    for (const email of ['eva@example.com', 'max@example.com', 'over@example.com']) {
      assert.equal((await invite(email)).status, 201, email)
    }
    await tidyPeople(world.app.people)
    assert.equal((await world.db.query.selectFrom('person_mail_sent').selectAll().execute()).length, 3)
  })
})

forEachDatabase('links for new passwords by mail', (open) => {
  test('go to an address three times while the first one counts, whoever asks, and the last one does', async () => {
    const sent: Letter[] = []
    const { world } = await openWith(open, async (mail) => void sent.push(mail))
    const ask = () => new TestBrowser(world).post('/console/reset', { email: adminEmail })
    for (let i = 0; i < 5; i++) {
      assert.equal((await ask()).status, 200)
      await until(async () => (await waiting(world)).length === 0)
    }
    assert.equal(sent.length, 3)
    const use = (n: number) => {
      const code = sent[n]!.content.facts.Link!.split('#')[1]!
      return new TestBrowser(world).post('/console/reset/password', { code, go: '1', password })
    }
    assert.equal((await use(1)).status, 403)
    assert.equal((await use(2)).status, 303)
    world.clock.advance(30 * 60_000 + 1)
    await ask()
    await until(() => sent.length === 4)
  })
})
