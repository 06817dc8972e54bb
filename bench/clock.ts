/**
 * Measures how fast a lab carries out what has a date when its clock is moved: a mix of 100,000 events as a suite of tests
 * leaves them, and by themselves those that need most work, ends of actions and backups.
 */
import { copyFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { createManagementToken } from '../src/kernel/access/management-tokens.ts'
import { publicBase, wolkeBase } from '../src/kernel/contract/bases.ts'
import { openDatabase } from '../src/kernel/data/open.ts'
import { timestamp } from '../src/kernel/process/clock.ts'
import { createSchema, fill, keptFile } from './fill.ts'
import { type Ask, asker, timed } from './lab-client.ts'
import { token, type Workshop } from './processes.ts'
import type { Row } from './report.ts'

const start = '2026-11-28T12:00:00Z'
const startMs = Date.parse(start)
const dayMs = 86_400_000

/**
 * What comes within 100 days. Each request that changes something leaves an entry of the audit log, which goes after 90
 * days, so that most events are these; tokens and invitations that end are read differently from then on. A server that
 * was just created has two actions that end, and backups come every day.
 */
const mix = { entries: 80_000, tokens: 14_000, invitations: 3_000, actions: 2_000, backups: 1_000 }
const days = 100
const total = Object.values(mix).reduce((sum, count) => sum + count)
const least = 20_000

const actionsAlone = 4_000
const alone = { servers: 500, days: 10 }

export async function clock(workshop: Workshop): Promise<Row[]> {
  const lab = await openLab(workshop, 'realistic')
  const mixed = await lab.fork()
  await mixed.create(mix.actions / 2)
  await mixed.backUp(mix.backups / days)
  const listed = await timed(() => mixed.own('GET', '/clock/events?limit=1000'))
  const mixMs = await timed(() => mixed.advance(`${days}d`))
  const acting = await lab.fork()
  await acting.create(actionsAlone / 2)
  const actionsMs = await timed(() => acting.advance('1h'))
  const backing = await (await openLab(workshop, 'instant')).fork()
  await backing.create(alone.servers)
  await backing.advance('1h')
  await backing.backUp(alone.servers)
  const backupsMs = await timed(() => backing.advance(`${alone.days}d`))
  const rate = (count: number, ms: number) => count / (ms / 1_000)
  const mixRate = rate(total, mixMs)
  return [
    {
      ...{ name: `${total} events of a clock`, unit: 'events/s', wolke: mixRate },
      bar: { text: `>= ${least}/s`, met: mixRate >= least },
    },
    { name: `the next 1,000 of ${total} events`, unit: 'ms', wolke: listed },
    { name: 'ends of actions while time is moved', unit: 'events/s', wolke: rate(actionsAlone, actionsMs) },
    {
      ...{ name: 'backups while time is moved', unit: 'events/s', wolke: rate(alone.servers * alone.days, backupsMs) },
      note: `${alone.servers} servers, ${alone.days} days`,
    },
  ]
}

/** A server with a filled file, whose forks are in memory and whose actions take no time or as long as documented. */
async function openLab(workshop: Workshop, actions: 'instant' | 'realistic') {
  const kept = await keptFile('clock', [mix, fillAll.toString()], async (draft) => {
    const projectId = await createSchema(draft)
    fill(draft, ['audit', 'token', 'invitation'], (database) => fillAll(database, projectId))
  })
  const file = workshop.file('clock.db')
  copyFileSync(kept, file)
  const ours = await managementToken(file)
  const more = ['--lab', '--clock', 'frozen', '--now', start, '--actions', actions]
  const limits = ['--limits', 'servers=100000,primary_ips=100000,images=100000']
  const pool = ['--address-pool', '10.0.0.0/12,2a01:4f8::/40']
  const { url } = await workshop.serve(`sqlite:${file}`, { more: [...more, ...limits, ...pool] })
  const own = asker(url + wolkeBase, ours)
  return {
    async fork() {
      const { fork } = (await own('POST', '/forks', {})) as { fork: { base_url: string } }
      return forked(new URL(fork.base_url).origin, ours)
    },
  }
}

async function managementToken(path: string): Promise<string> {
  const db = await openDatabase({ engine: 'sqlite', path }, { clock: { now: () => startMs } })
  const { token } = await db.transact((tx) => createManagementToken(tx, { name: 'lab', created: start }))
  await db.close()
  return token
}

function forked(url: string, ours: string) {
  const api = asker(url + publicBase, token)
  const own = asker(url + wolkeBase, ours)
  return {
    own,
    advance: (by: string) => own('POST', '/clock/advance', { by }),
    create: (count: number) =>
      together(count, (n) => api('POST', '/servers', { name: `s${n}`, server_type: 'cx23', image: 'debian-12' })),
    async backUp(count: number) {
      const ids = await serverIds(api, count)
      await together(ids.length, (n) => api('POST', `/servers/${ids[n]}/actions/enable_backup`))
    },
  }
}

async function serverIds(api: Ask, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let page = 1; ids.length < count; page++) {
    const { servers } = (await api('GET', `/servers?page=${page}&per_page=50`)) as { servers: { id: number }[] }
    ids.push(...servers.map(({ id }) => id))
  }
  return ids.slice(0, count)
}

/** Does something `count` times, a few at a time. */
async function together(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: 16 }, lane))
}

/** Spreads everything evenly, so that events of all kinds come between each other. */
function fillAll(database: DatabaseSync, projectId: number): void {
  const created = timestamp(startMs - 90 * dayMs)
  const entry = database.prepare(`
    insert into audit (time, actor, actor_name, project_id, project_name, operation, family, resources, actions, outcome,
      status, correlation_id, network)
    values (?, 'token', 'ci', ?, 'default', 'createFirewall', 'firewalls', '[]', '[]', 'ok', 201, ?, '127.0.0.1')`)
  for (let n = 0; n < mix.entries; n++)
    entry.run(timestamp(startMs - 90 * dayMs + spread(n, mix.entries)), projectId, `id-${n}`)
  const ending = database.prepare(`
    insert into token (id, project_id, name, hash, tail, read_only, created, expires) values (?, ?, ?, ?, 'tail', 0, ?, ?)`)
  for (let n = 0; n < mix.tokens; n++)
    ending.run(firstOfOurs + n, projectId, `t${n}`, `token ${n}`, created, startMs + spread(n, mix.tokens))
  const invitation = database.prepare(`
    insert into invitation (id, project_id, email, role, hash, created, expires) values (?, ?, ?, 'member', ?, ?, ?)`)
  for (let n = 0; n < mix.invitations; n++) {
    const ends = startMs + spread(n, mix.invitations)
    invitation.run(firstOfOurs + mix.tokens + n, projectId, `p${n}@example.com`, `invitation ${n}`, created, ends)
  }
  database.prepare('update id_sequence set next = ?').run(firstOfOurs + mix.tokens + mix.invitations)
}

const firstOfOurs = 100_000_000

/** Some time within the days, in milliseconds; the last ones end before the move does. */
const spread = (n: number, count: number) => Math.floor(((n + 1) / (count + 1)) * 89 * dayMs)
