/** Stops PostgreSQL and starts it again. */
import pg from 'pg'
import { publicKey } from '../../src/families/ssh-keys/proof.ts'
import { postgresUrl } from '../../test/kit/database/postgres.ts'
import { atMost, type Context, type Finding, none } from '../attack.ts'
import { client } from '../installation.ts'
import { isSoon } from './full.ts'

export async function databaseAway(context: Context): Promise<Finding[]> {
  const installation = await context.install()
  const server = await installation.serve()
  const api = client(server, installation.tenants[0])
  const { url } = installation.url as { url: string }
  const name = new URL(url).pathname.slice(1)
  const admin = new pg.Client({ connectionString: await postgresUrl() })
  await admin.connect()
  const disconnect = context.workshop.keep(() => admin.end())
  const wrong: string[] = []
  const untold: string[] = []
  const health = async () => (await fetch(`${server.url}/health`)).status
  let slowest = 0
  for (let round = 0; round < context.size(1, 5); round++) {
    const acknowledged: string[] = []
    const write = async (key: string) => {
      const { status } = await api.post('/ssh_keys', { name: key, public_key: publicKey() })
      if (status === 201) acknowledged.push(key)
      return status
    }
    if ((await write(`before-${round}`)) !== 201) wrong.push('a write before it went')
    await admin.query(`alter database ${pg.escapeIdentifier(name)} allow_connections false`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    for (let i = 0; i < 5; i++) {
      const start = performance.now()
      const statuses = [await write(`away-${round}-${i}`), (await api.get('/ssh_keys')).status]
      slowest = Math.max(slowest, (performance.now() - start) / statuses.length)
      for (const status of statuses) if (status !== 503) wrong.push(`answered ${status} while it was away`)
    }
    if (!(await isSoon(async () => (await health()) === 503))) untold.push('/health is 200 while it is away')
    await admin.query(`alter database ${pg.escapeIdentifier(name)} allow_connections true`)
    const isBack = await isSoon(async () => (await write(`back-${round}-${performance.now()}`)) === 201)
    if (!isBack) wrong.push('no write succeeds although it is back')
    if (!(await isSoon(async () => (await health()) === 200))) untold.push('/health is 503 although it is back')
    for (const key of acknowledged) {
      const { body } = await api.get(`/ssh_keys?name=${key}`)
      if (body.ssh_keys.length !== 1) wrong.push(`${key} is lost`)
    }
  }
  await disconnect()
  await server.stop()
  return [
    none(
      'while the database is away requests get a 503, and go on when it is back; nothing is lost',
      'wrong answers',
      wrong,
      context,
    ),
    none('/health tells that the database is away, and that it is back', 'untold', untold, context),
    atMost('nobody waits long for the 503', slowest, 'ms', 2_000),
  ]
}
