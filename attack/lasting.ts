/**
 * Long-lived things are attacked: sessions made with a token, and consoles, whose tokens end and which one tenant has
 * many of.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Running } from '../bench/processes.ts'
import { createToken, revokeToken } from '../src/kernel/access/tokens.ts'
import { publicBase } from '../src/kernel/contract/bases.ts'
import type { Database } from '../src/kernel/data/db.ts'
import { timestamp } from '../src/kernel/process/clock.ts'
import type { ProjectId } from '../src/kernel/scope.ts'
import type { Client } from '../test/kit/harness.ts'
import { TestBrowser } from '../test/people/kit/browser.ts'
import { view } from '../test/stubs/rfb-client.ts'
import { type Attack, atLeast, atMost, type Context, type Finding, none } from './attack.ts'
import { client, type Installation, remoteWorld, type Tenant, until } from './installation.ts'

export const lasting: Attack = {
  name: 'lasting',
  databases: ['sqlite', 'postgres'],
  async run(context) {
    const installation = await context.install()
    return [...(await sessions(context, installation)), ...(await consoles(context, installation))]
  },
}

const perHour = 60
/** A console that goes on for longer counts as one that never ends. */
const patienceMs = 20_000

/** Asks through sessions of one token, in every process, for more than its Project may have. */
async function sessions(context: Context, installation: Installation): Promise<Finding[]> {
  const [own] = installation.tenants
  const servers: Running[] = []
  const processes = context.database === 'postgres' ? 2 : 1
  for (let i = 0; i < processes; i++)
    servers.push(await installation.serve({ more: ['--rate-limit', String(perHour)] }))
  const began = performance.now()
  let answered = 0
  let asked = 0
  const ask = async (send: () => Promise<{ status: number }>, times: number) => {
    for (let i = 0; i < times; i++, asked++) if ((await send()).status === 200) answered++
  }
  const path = `/console/api/projects/${own.projectId}${publicBase}/ssh_keys`
  const through = async (server: Running) => {
    const browser = new TestBrowser({ baseUrl: server.url })
    await browser.post('/console/login/token', { token: own.readWrite })
    await ask(() => browser.api('GET', path), context.size(30, 70))
  }
  await ask(() => client(servers[0]!, own).get('/ssh_keys'), perHour / 2)
  await Promise.all(Array.from({ length: 5 }, (_, i) => through(servers[i % processes]!)))
  for (const server of servers) await server.stop()
  const refilled = Math.floor(((performance.now() - began) * perHour) / 3_600_000)
  return [
    atLeast('a token and five sessions of it ask for more than its Project may have', asked, 'requests', 2 * perHour),
    atMost('together they get no more answers than the Project may have', answered - refilled, 'answers', perHour),
  ]
}

/** Keeps consoles of a token that is revoked, and opens more of them than one tenant may have. */
async function consoles(context: Context, installation: Installation): Promise<Finding[]> {
  const server = await installation.serve()
  const { db, close } = await installation.open()
  const [own, other] = installation.tenants
  const revoked = await afterRevocation(server, { own, db })
  const { mostOpen, denied } = await crowd(server, { own, other, db, each: context.size(7, 8) })
  await close()
  await server.stop()
  return [
    atMost('a console ends after its token was revoked', revoked.seconds, 's', 5),
    none('an address that was asked for with a revoked token opens nothing', 'opened', revoked.opened, context),
    atMost('one tenant has only so many consoles open', mostOpen, 'consoles', 50),
    none('another tenant opens a console meanwhile', 'refused', denied, context),
  ]
}

async function makeServer(server: Running, tenant: Tenant, db: Database, name: string): Promise<number> {
  const body = { name, server_type: 'cx23', image: 'debian-12' }
  const { status, text, body: made } = await client(server, tenant).post('/servers', body)
  if (status !== 201) throw new Error(`no server for its consoles: ${text}`)
  await remoteWorld(server, tenant, db).settle()
  return made.server.id
}

async function askFor({ post }: Client, id: number): Promise<{ wss_url: string; password: string }> {
  const { status, text, body } = await post(`/servers/${id}/actions/request_console`)
  if (status !== 201) throw new Error(`no console: ${text}`)
  return body
}

async function afterRevocation(server: Running, { own, db }: { own: Tenant; db: Database }) {
  const id = await makeServer(server, own, db, 'screen')
  const projectId = own.projectId as ProjectId
  const token = await db.transact((tx) =>
    createToken(tx, { projectId, name: 'revoked', readOnly: false, created: timestamp(tx.now) }),
  )
  const api = client(server, { readWrite: token })
  const [open, early] = [await askFor(api, id), await askFor(api, id)]
  const viewer = await view(open.wss_url, open.password)
  await db.transact((tx) => revokeToken(tx, token))
  const began = performance.now()
  await Promise.race([viewer.ended(), delay(patienceMs)])
  const seconds = (performance.now() - began) / 1_000
  const opened = (await knock(early.wss_url)) === 101 ? [early.wss_url] : []
  return { seconds, opened }
}

/** Opens consoles of eight servers, and then one of another tenant. */
async function crowd(
  server: Running,
  { own, other, db, each }: { own: Tenant; other: Tenant; db: Database; each: number },
): Promise<{ mostOpen: number; denied: string[] }> {
  const api = client(server, own)
  let mostOpen = 0
  for (let n = 0; n < 8; n++) {
    const id = await makeServer(server, own, db, `screen-${n}`)
    for (let i = 0; i < each; i++) if ((await knock((await askFor(api, id)).wss_url)) === 101) mostOpen++
  }
  const theirs = await askFor(client(server, other), await makeServer(server, other, db, 'screen'))
  const status = await knock(theirs.wss_url)
  return { mostOpen, denied: status === 101 ? [] : [`answered ${status}`] }
}

/** The status of the answer to who opens a console; it stays open and does not log in. */
async function knock(url: string): Promise<number> {
  let status = 0
  const socket = new WebSocket(url)
  socket.on('open', () => {
    status = 101
  })
  socket.on('error', () => undefined)
  socket.on('unexpected-response', (_request, response) => {
    status = response.statusCode ?? 0
    socket.terminate()
  })
  await until('a console is answered', () => status !== 0)
  return status
}
