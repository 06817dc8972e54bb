import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  type BareDatabase,
  forEachBareDatabase,
  type Gate,
  gate,
  run,
  until,
} from '../../../test/kit/database/bare-database.ts'
import { type MailServer, openMailServer } from '../../../test/stubs/smtp.ts'
import { createProject, deleteProject } from '../access/projects.ts'
import { Killed } from '../actions/run.ts'
import type { Database } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import type { Faults } from '../process/faults.ts'
import { openLog } from '../process/log.ts'
import type { ProjectScope } from '../scope.ts'
import { allMail, isMailWaiting, removeOldMail, retryMail } from './deliveries.ts'
import { type MailerOptions, openMailer } from './mailer.ts'
import { changeOwner, type MailRow, queueMail, untold } from './outbox.ts'
import { parseSmtpUrl, smtpSender } from './smtp.ts'
import { type MailContent, renderMail } from './template.ts'

const from = 'cloud@example.com'
const owner = 'owner@example.org'
const content: MailContent = { subject: 'Something happened', paragraphs: ['It did.'], facts: { What: 'a thing' } }
const dayMs = 86_400_000

/** Lets the first message wait for its answer, and no other one. */
function holdFirst({ behaviour }: MailServer): Gate {
  const holding = gate()
  behaviour.message = () => (holding.arrived === 0 ? (holding.pass() as Promise<undefined>) : undefined)
  return holding
}

/** Kills whoever reaches a place. */
const killAt = (place: string): Faults => ({
  reach(reached) {
    if (reached === place) throw new Killed(place)
  },
})

forEachBareDatabase('mail', (openBare, engineName) => {
  interface Post extends BareDatabase {
    readonly server: MailServer
    mailer(options?: Partial<MailerOptions>): ReturnType<typeof openMailer>
    queue(event?: string, scope?: ProjectScope, what?: MailContent): Promise<boolean>
    mails(): Promise<MailRow[]>
    /** Makes every pause and every claim end. */
    endPauses(): Promise<unknown>
  }

  async function open(ownerEmail: string | null = owner): Promise<Post> {
    const bare = await openBare()
    const { db, scope } = bare
    const server = await openMailServer()
    bare.later(() => server.close())
    await db.transact((tx) => changeOwner(tx, scope, ownerEmail))
    const send = smtpSender(parseSmtpUrl(server.url)!, from)
    return {
      ...bare,
      server,
      mailer: (options) => {
        const mailer = openMailer({ db, log: openLog('silent'), send, recordMs: 1, ...options })
        bare.later(() => mailer.stop(0))
        return mailer
      },
      queue: (event = 'thing 1 happened', of = scope, what = content) =>
        db.transact((tx) => queueMail(tx, { scope: of, event }, what)),
      async mails() {
        const all: MailRow[] = []
        for await (const mail of allMail(db.query)) all.push(mail)
        return all
      },
      endPauses: () => run(db, 'update mail set next_attempt_at = 0'),
    }
  }

  const only = async ({ mails }: Post) => {
    const all = await mails()
    assert.equal(all.length, 1)
    return all[0]!
  }
  const ids = ({ received }: MailServer) => received.map((mail) => mail.header('message-id'))

  test('arrives as plain text and HTML, from and to those who were said, and is done with', async () => {
    const post = await open()
    assert.equal(await post.queue(), true)
    assert.equal(await isMailWaiting(post.db.query), true)
    await post.mailer().run()
    assert.equal(await isMailWaiting(post.db.query), false)
    const [mail, ...more] = post.server.received
    assert.deepEqual(more, [])
    assert.deepEqual([mail!.from, mail!.to], [from, [owner]])
    assert.equal(mail!.header('subject'), content.subject)
    assert.equal(mail!.header('to'), owner)
    assert.equal(mail!.header('from'), `Wolke <${from}>`)
    assert.equal(mail!.header('auto-submitted'), 'auto-generated')
    assert.equal(mail!.header('date'), 'Sat, 21 Nov 2026 12:00:00 +0000')
    assert.match(
      mail!.raw,
      /text\/plain[\s\S]*It did\.[\s\S]*What: a thing\r\nProject: test\r\n[\s\S]*text\/html[\s\S]*<p>It did\.<\/p>/,
    )
    const { state, attempts, last_error, message_id } = await only(post)
    assert.deepEqual([state, attempts, last_error], ['sent', 1, null])
    assert.equal(mail!.header('message-id'), `<${message_id}@example.com>`)
    await post.mailer().run()
    assert.equal(post.server.received.length, 1)
  })

  test('is queued once for an event, and only with what it tells about', async () => {
    const post = await open()
    const events = [
      { scope: post.scope, event: 'thing 1 happened' },
      { scope: post.scope, event: 'thing 2 happened' },
    ]
    assert.deepEqual(await untold(post.db.query, events), events)
    assert.deepEqual(await Promise.all([post.queue(), post.queue(), post.queue()]).then((all) => all.filter(Boolean)), [
      true,
    ])
    assert.deepEqual(await untold(post.db.query, events), [events[1]])
    const failed = post.db.transact(async (tx) => {
      await queueMail(tx, events[1]!, content)
      throw new Error('it did not happen after all')
    })
    await assert.rejects(failed)
    await post.mailer().run()
    assert.equal(post.server.received.length, 1)
    assert.equal((await post.mails()).length, 1)
  })

  test('is not queued for a Project without owner, and goes with its Project', async () => {
    const post = await open(null)
    assert.equal(await post.queue(), false)
    assert.deepEqual(await post.mails(), [])
    assert.deepEqual(await untold(post.db.query, [{ scope: post.scope, event: 'thing 1 happened' }]), [])
    const project = await post.db.transact((tx) => createProject(tx, 'other', '2026-11-21T12:00:00Z', owner))
    assert.equal(await post.queue('thing 2 happened', { projectId: project.id }), true)
    assert.equal(await deleteProject(post.db, project), true)
    assert.deepEqual(await post.mails(), [])
  })

  test('goes to the owner of the time when it is sent, and to nobody when there is none any more', async () => {
    const post = await open()
    await post.queue()
    await post.db.transact((tx) => changeOwner(tx, post.scope, 'next@example.org'))
    await post.mailer().run()
    assert.deepEqual(
      post.server.received.map((mail) => mail.to),
      [['next@example.org']],
    )
    await post.queue('thing 2 happened')
    await post.db.transact((tx) => changeOwner(tx, post.scope, null))
    await post.mailer().run()
    assert.equal(post.server.received.length, 1)
    const [, last] = await post.mails()
    assert.deepEqual([last!.state, last!.last_error], ['given_up', 'the Project has no owner any more'])
  })

  test('stays under way when its owner is set to the same again', async () => {
    const post = await open()
    const holding = holdFirst(post.server)
    await post.queue()
    const sending = post.mailer().run()
    await until(() => holding.arrived === 1)
    await post.db.transact((tx) => changeOwner(tx, post.scope, owner))
    await post.mailer().run()
    holding.open()
    await sending
    assert.equal(post.server.received.length, 1)
    assert.equal((await only(post)).state, 'sent')
  })

  test('waits for a server that is down, is tried again after a pause, and arrives', async () => {
    const post = await open()
    await post.queue()
    const down = await openMailServer()
    await down.close()
    const away = smtpSender({ host: '127.0.0.1', port: down.port, secure: false }, from)
    await post.mailer({ send: away }).run()
    const waiting = await only(post)
    assert.deepEqual([waiting.state, waiting.attempts], ['waiting', 1])
    assert.match(waiting.last_error!, /ECONNREFUSED/)
    await post.mailer().run()
    assert.equal((await only(post)).attempts, 1, 'not before the pause has ended')
    await post.endPauses()
    await post.mailer().run()
    assert.deepEqual(ids(post.server), [`<${waiting.message_id}@example.com>`])
    const sent = await only(post)
    assert.deepEqual([sent.state, sent.attempts, sent.last_error], ['sent', 2, null])
  })

  test('pauses longer and longer, but for at most about an hour', async () => {
    const post = await open()
    await post.queue()
    post.server.behaviour.recipient = () => ({ code: 451, text: 'not now' })
    const pauses: number[] = []
    for (let attempt = 1; attempt <= 9; attempt++) {
      await post.endPauses()
      await post.mailer().run()
      const { rows } = await sql<{ pause: number }>`
        select next_attempt_at - ${post.db.dialect.nowMs} as pause from mail
      `.execute(post.db.query)
      pauses.push(rows[0]!.pause)
    }
    const close = (pause: number, expected: number) => pause > expected * 0.5 && pause < expected * 1.3
    assert.ok(close(pauses[0]!, 60_000) && close(pauses[3]!, 480_000) && close(pauses[8]!, 3_600_000), String(pauses))
  })

  test('is tried again after a refusal that may pass, and given up after one that stays', async () => {
    const post = await open()
    const cases = [
      ['recipient', 451, 'waiting'],
      ['message', 452, 'waiting'],
      ['sender', 550, 'waiting'],
      ['recipient', 550, 'given_up'],
      ['message', 554, 'given_up'],
    ] as const
    for (const [command, code, state] of cases) {
      post.server.behaviour = { [command]: () => ({ code, text: `refused the ${command}` }) }
      await post.queue(`${command} ${code}`)
      await post.mailer().run()
      const last = (await post.mails()).at(-1)!
      assert.equal(last.state, state, last.event)
      assert.match(last.last_error!, new RegExp(`${code} refused the ${command}`))
    }
    post.server.behaviour = {}
    await post.endPauses()
    await post.mailer().run()
    assert.deepEqual(
      (await post.mails()).map(({ state }) => state),
      ['sent', 'sent', 'sent', 'given_up', 'given_up'],
    )
    assert.equal(post.server.received.length, 3)
  })

  test('is given up after five days, with the last reason', async () => {
    const post = await open()
    post.server.behaviour.recipient = () => ({ code: 451, text: 'not\r\n451 now' })
    await post.queue()
    await run(post.db, `update mail set queued_at = queued_at - ${4.9 * dayMs}`)
    await post.mailer().run()
    assert.equal((await only(post)).state, 'waiting')
    await run(post.db, `update mail set queued_at = queued_at - ${0.2 * dayMs}, next_attempt_at = 0`)
    await post.mailer().run()
    const { state, finished, last_error } = await only(post)
    assert.deepEqual([state, finished], ['given_up', '2026-11-21T12:00:00Z'])
    assert.match(last_error!, /^[^\n]*451[^\n]*now[^\n]*$/)
  })

  test('is broken off when the server is too slow, and sent later under the same Message-ID', async () => {
    const post = await open()
    const holding = gate()
    post.server.behaviour.message = () => holding.pass() as Promise<undefined>
    await post.queue()
    await post.mailer({ attemptMs: 100 }).run()
    const { state, last_error, message_id } = await only(post)
    assert.deepEqual([state, last_error], ['waiting', 'the server took too long'])
    await post.endPauses()
    post.server.behaviour = {}
    await post.mailer().run()
    assert.deepEqual(ids(post.server), [`<${message_id}@example.com>`])
    holding.open()
  })

  test('whose answer is lost with the connection comes again under the same Message-ID, and then no more', async () => {
    const post = await open()
    post.server.behaviour.message = () => {
      post.server.cut()
      return undefined
    }
    await post.queue()
    await post.mailer().run()
    assert.equal((await only(post)).state, 'waiting')
    post.server.behaviour = {}
    await post.endPauses()
    for (let i = 0; i < 2; i++) await post.mailer().run()
    const found = ids(post.server)
    assert.equal(found.length, 2)
    assert.equal(found[0], found[1])
    assert.equal((await only(post)).state, 'sent')
  })

  for (const [place, copies] of [
    ['mail:before-send', 1],
    ['mail:after-send', 2],
  ] as const) {
    test(`a sender that is killed ${place.slice(5)} is replaced once its claim has ended`, async () => {
      const post = await open()
      await post.queue()
      await post.mailer({ faults: killAt(place) }).run()
      await post.mailer().run()
      assert.equal((await only(post)).attempts, 1, 'nobody takes it while the claim lasts')
      await post.endPauses()
      await post.mailer().run()
      assert.equal((await only(post)).state, 'sent')
      const found = ids(post.server)
      assert.equal(found.length, copies)
      assert.equal(new Set(found).size, 1)
    })
  }

  test('that was sent is recorded as sent, however often the database is away', async () => {
    const post = await open()
    let failures = 3
    const faults: Faults = {
      reach(place) {
        if (place === 'mail:before-record' && failures-- > 0) throw new Error('the database is away')
      },
    }
    await post.queue()
    await post.mailer({ faults }).run()
    await post.endPauses()
    await post.mailer().run()
    assert.equal(post.server.received.length, 1)
    assert.equal((await only(post)).state, 'sent')
  })

  for (const answer of [undefined, { code: 451, text: 'not now' }]) {
    const state = answer ? 'waiting' : 'sent'
    test(`a sender that comes back late writes nothing over "${state}" of its successor`, async () => {
      const post = await open()
      const stall = gate()
      await post.queue()
      post.server.behaviour.recipient = () => ({ code: 550, text: 'unknown' })
      const faults: Faults = { reach: (place) => (place === 'mail:after-send' ? stall.pass() : undefined) }
      const returned = post.mailer({ faults }).run()
      await until(() => stall.arrived === 1)
      post.server.behaviour.recipient = () => answer
      await post.endPauses()
      await post.mailer().run()
      const successor = await only(post)
      assert.equal(successor.state, state)
      stall.open()
      await returned
      assert.deepEqual(await only(post), successor)
    })
  }

  test('one slow recipient does not keep others from theirs', async () => {
    const post = await open()
    const holding = holdFirst(post.server)
    for (let i = 0; i < 12; i++) await post.queue(`thing ${i}`)
    const sending = post.mailer().run()
    await until(() => post.server.received.length === 11)
    holding.open()
    await sending
    assert.equal(new Set(ids(post.server)).size, 12)
  })

  test('of Projects is sent in turns, so that nobody waits behind all that others have queued', async () => {
    const post = await open()
    const scopes = [post.scope]
    for (const name of ['two', 'three']) {
      const { id: projectId } = await post.db.transact((tx) => createProject(tx, name, '2026-11-21T12:00:00Z', owner))
      scopes.push({ projectId })
    }
    for (const scope of scopes.slice(0, 2)) for (let i = 0; i < 12; i++) await post.queue(`thing ${i}`, scope)
    await post.queue('the only thing', scopes[2]!)
    const started: string[] = []
    const holding = gate()
    const send: MailerOptions['send'] = async ({ content }) => {
      started.push(content.facts.Project!)
      await holding.pass()
    }
    const sending = post.mailer({ send }).run()
    try {
      await until(() => started.length === 8)
      assert.deepEqual(started.slice(0, 7), ['test', 'two', 'three', 'test', 'two', 'test', 'two'])
    } finally {
      holding.open()
      await sending
    }
    assert.equal(started.length, 25)
  })

  test('of a Project is at most a hundred in a day; what is more waits for the next one, and keeps nobody else waiting', async () => {
    const post = await open()
    await post.queue('thing 0')
    await post.mailer().run()
    const [first] = await post.mails()
    const others = Array.from({ length: 98 }, (_, i) => ({ ...first!, id: first!.id + 1_000 + i, event: `other ${i}` }))
    await post.db.transact((tx) => acrossProjects(tx.query).insertInto('mail').values(others).execute())
    const { id: projectId } = await post.db.transact((tx) => createProject(tx, 'two', '2026-11-21T12:00:00Z', owner))
    for (const event of ['thing 1', 'thing 2']) {
      await post.queue(event)
      await post.mailer().run()
    }
    await post.queue('of another one', { projectId })
    await post.mailer().run()
    const waiting = async () =>
      (await post.mails()).filter(({ state }) => state === 'waiting').map(({ event }) => event)
    assert.deepEqual([await waiting(), post.server.received.length], [['thing 2'], 3])
    post.clock.advance(dayMs)
    await post.mailer().run()
    assert.deepEqual([await waiting(), post.server.received.length], [[], 4])
  })

  test('leaves by itself after the commit that queued it; a stop breaks off what is under way, to be sent later', async () => {
    const post = await open()
    const mailer = post.mailer()
    await mailer.start()
    await post.queue()
    await until(() => post.server.received.length === 1)
    const holding = gate()
    post.server.behaviour.message = () => holding.pass() as Promise<undefined>
    await post.queue('thing 2 happened')
    await until(() => holding.arrived === 1)
    await mailer.stop(0)
    const [, second] = await post.mails()
    assert.deepEqual([second!.state, second!.attempts], ['waiting', 1])
    await post.queue('thing 3 happened')
    assert.equal((await post.mails()).at(-1)!.attempts, 0, 'a stopped mailer takes no more')
    holding.open()
  })

  test('is written to the log where there is no server, once', async () => {
    const post = await open()
    const lines: string[] = []
    const log = openLog('info', { write: (line) => void lines.push(line) })
    await post.queue()
    for (let i = 0; i < 2; i++) await post.mailer({ log, send: undefined }).run()
    const logged = lines.map((line) => JSON.parse(line)).filter((line) => line.to === owner)
    assert.equal(logged.length, 1)
    assert.equal(logged[0].subject, content.subject)
    assert.match(logged[0].text, /It did\.\n\nWhat: a thing\nProject: test\n/)
    assert.equal((await only(post)).state, 'logged')
  })

  test('holds what tenants call their things, but nothing of it becomes a header, an address or markup', async () => {
    const post = await open()
    const hostile = 'a\r\nBcc: spy@example.net\r\n\r\n<script>alert("x")</script> & \u2028\u202e\u0000 ü'
    await post.queue('thing 1 happened', post.scope, {
      subject: hostile,
      paragraphs: [hostile],
      facts: {
        Name: hostile,
        Site: 'free money: https://evil.example/x?y or www.evil.example\u3002',
        Link: 'https://a.example/#b',
      },
    })
    await post.mailer().run()
    const [mail] = post.server.received
    assert.deepEqual(mail!.to, [owner])
    assert.equal(mail!.header('bcc'), undefined)
    const kept = JSON.parse((await only(post)).content)
    for (const line of [kept.subject, kept.facts.Name]) assert.match(line, /^a Bcc: [^\p{Cc}\u2028]* ü$/u)
    assert.match(mail!.header('subject')!, /^=\?UTF-8\?/)
    assert.ok(!mail!.raw.includes('<script>alert("x")</script></p>'))
    assert.match(mail!.raw, /&#60;script&#62;/)
    const { text, html } = renderMail({ ...kept, paragraphs: [] })
    for (const page of [text, html]) {
      assert.ok(page.includes('free money: https[://]evil[.]example/x?y or www[.]evil[.]example'))
      assert.ok(page.includes('https://a.example/#b'))
      assert.doesNotMatch(page.split('evil').slice(1).join(), /\u202e/)
    }
    const long = renderMail({ ...content, facts: { Name: 'x'.repeat(5_000) } })
    assert.match(long.text, /\nName: x{300}\.\.\.\n/)
  })

  test('that was given up or logged goes out after all when it is asked for, to the present owner', async () => {
    const post = await open()
    post.server.behaviour.recipient = () => ({ code: 550, text: 'unknown' })
    await post.queue()
    await post.mailer().run()
    await post.queue('thing 2 happened')
    await post.mailer({ send: undefined }).run()
    const retry = async () => {
      const all = (await post.mails()).map(({ id }) => post.db.transact((tx) => retryMail(tx, id)))
      return Promise.all(all)
    }
    await post.db.transact((tx) => changeOwner(tx, post.scope, null))
    assert.deepEqual(await retry(), [false, false])
    await post.db.transact((tx) => changeOwner(tx, post.scope, 'next@example.org'))
    assert.deepEqual(await retry(), [true, true])
    post.server.behaviour = {}
    await post.mailer().run()
    assert.deepEqual(
      post.server.received.map(({ to }) => to),
      [['next@example.org'], ['next@example.org']],
    )
    assert.deepEqual(await retry(), [false, false], 'what was sent is not sent again')
  })

  test('is forgotten 90 days after it was done with, and never before', async () => {
    const post = await open()
    await post.queue()
    await post.mailer().run()
    await post.queue('thing 2 happened')
    post.clock.advance(90 * dayMs)
    await removeOldMail(post.db)
    assert.equal((await post.mails()).length, 2)
    post.clock.advance(1_000)
    await removeOldMail(post.db)
    assert.deepEqual(
      (await post.mails()).map(({ event }) => event),
      ['thing 2 happened'],
    )
  })

  if (engineName === 'postgres') {
    test('goes out once from two processes over one database', async () => {
      const post = await open()
      for (let i = 0; i < 40; i++) await post.queue(`thing ${i}`)
      const other: Database = await post.another()
      await Promise.all([post.mailer().run(), post.mailer({ db: other }).run()])
      assert.equal(post.server.received.length, 40)
      assert.equal(new Set(ids(post.server)).size, 40)
      assert.deepEqual(
        new Set((await post.mails()).map(({ state, attempts }) => `${state} ${attempts}`)),
        new Set(['sent 1']),
      )
    })
  } else {
    test('that a dead process was at is tried at once by the next one on the same file', async () => {
      const post = await open()
      await post.queue()
      await post.mailer({ faults: killAt('mail:before-send') }).run()
      await post.mailer().start()
      await until(() => post.server.received.length === 1)
    })
  }
})
