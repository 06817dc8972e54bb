/** The audit log of real processes: what it holds after a kill, and what commands leave in it and show of it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { until } from '../../kit/database/bare-database.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../../kit/database/postgres.ts'
import { engines } from '../../kit/engines.ts'
import { call, makeKey, program } from '../kit/program.ts'

const { folder, serve, command, watch } = program('audit')
after(closeAdmin)

interface Entry {
  readonly actor: { readonly kind: string; readonly name: string }
  readonly project: { readonly name: string } | null
  readonly operation: string
  readonly resources: readonly (number | string)[]
  readonly outcome: string
}

for (const engine of engines) {
  describe(`The audit log on ${engine}`, () => {
    let url = `sqlite:${join(folder, 'audit.db')}`
    before(async () => {
      if (engine === 'postgres') url = (await createDatabase(await postgresUrl())).url
    })
    const keyFile = ['--key-file', join(folder, `${engine}.key`)]
    const show = async (...options: string[]): Promise<Entry[]> => {
      const { code, stdout, stderr } = await command('audit', '--database', url, '--json', ...options)
      assert.equal(code, 0, stderr)
      return JSON.parse(stdout)
    }

    test('has exactly the entries of what is there after the server is killed', async () => {
      for (let round = 0; round < 3; round++) {
        const server = await serve(url, ...keyFile)
        let answers = 0
        const enough = Promise.withResolvers<void>()
        const work = async (name: string) => {
          for (let i = 0; ; i++) {
            await call(server.baseUrl, 'POST', '/ssh_keys', { name: `${name}-${i}`, public_key: makeKey() })
            if (++answers === 150) enough.resolve()
          }
        }
        const workers = Array.from({ length: 8 }, (_, i) => work(`${round}-${i}`).catch(() => undefined))
        await enough.promise
        await server.kill()
        await Promise.all(workers)
      }
      const server = await serve(url, ...keyFile)
      const there = new Set<number>()
      for (let page = 1; ; page++) {
        const { json } = await call(server.baseUrl, 'GET', `/ssh_keys?per_page=50&page=${page}`)
        for (const { id } of json.ssh_keys) there.add(id)
        if (json.ssh_keys.length < 50) break
      }
      const entries = await show('--operation', 'POST /ssh_keys', '--outcome', 'ok', '--limit', '100000')
      const made = entries.map(({ resources }) => resources[0] as number)
      assert.equal(new Set(made).size, made.length)
      assert.deepEqual(made.sort(), [...there].sort())
      await server.stop()
    })

    test('is followed, each entry once, while others write', async () => {
      const server = await serve(url, ...keyFile)
      const follower = await watch('audit', '--database', url, '--follow', '--json', '--operation', '/ssh_keys')
      const names = Array.from({ length: 12 }, (_, i) => `followed-${i}`)
      const post = (name: string) =>
        call(server.baseUrl, 'POST', '/ssh_keys', { name, public_key: makeKey() }).then(({ json }) => json.ssh_key.id)
      const made = await Promise.all(names.map(post))
      await call(server.baseUrl, 'DELETE', `/ssh_keys/${made[0]}`)
      const entries = () => follower.lines().map((line) => JSON.parse(line) as Entry & { readonly id: number })
      const seen = (id: number) => entries().filter(({ resources }) => resources[0] === id)
      await until(() => seen(made[0]).length >= 2, 'the entry of the deletion is shown')
      await follower.stop()
      await server.stop()
      assert.deepEqual(
        made.map((id) => seen(id).length),
        made.map((_, i) => (i === 0 ? 2 : 1)),
      )
      assert.equal(new Set(entries().map(({ id }) => id)).size, entries().length)
    })

    if (engine === 'postgres') {
      test('is followed without a gap, when an entry is older than the start and committed later', async (t) => {
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        t.after(() => client.end())
        const server = await serve(url, ...keyFile)
        const add = (name: string) => call(server.baseUrl, 'POST', '/ssh_keys', { name, public_key: makeKey() })
        await add('copied')
        const columns =
          'time, actor, actor_id, actor_name, project_id, project_name, family, resources, outcome, status, correlation_id, network'
        await client.query('BEGIN')
        await client.query(
          `INSERT INTO audit (operation, ${columns}) SELECT 'LATE', ${columns} FROM audit ORDER BY id DESC LIMIT 1`,
        )
        await add('later')
        const follower = await watch('audit', '--database', url, '--follow', '--json')
        await until(() => follower.lines().length > 0, 'the follower has begun')
        await client.query('COMMIT')
        const seen = () => follower.lines().filter((line) => (JSON.parse(line) as Entry).operation === 'LATE')
        await until(() => seen().length > 0, 'the late entry is shown')
        await follower.stop()
        await server.stop()
        assert.equal(seen().length, 1)
      })
    }

    test('has what a start does with the token of the operator, once, and the rotation of the key', async () => {
      const sqlite = `sqlite:${join(folder, 'start.db')}`
      const own = engine === 'postgres' ? (await createDatabase(await postgresUrl())).url : sqlite
      const file = ['--key-file', join(folder, `${engine}-start.key`)]
      for (const token of ['first', 'first', 'second']) {
        const text = token.repeat(11).slice(0, 64).padEnd(64, '0')
        await (await serve(own, ...file, '--token', text)).stop()
      }
      const { stdout } = await command('audit', '--database', own, '--json', '--operation', 'wolke serve --token')
      const given = (JSON.parse(stdout) as Entry[]).map(({ actor, project }) => [actor.kind, project?.name])
      assert.ok(!stdout.includes('secondsecond'))
      assert.deepEqual(given.slice(-2), [
        ['command line', 'default'],
        ['command line', 'default'],
      ])
      const next = join(folder, `${engine}-next.key`)
      writeFileSync(next, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
      const rotated = await command(
        ...['secrets', 'rotate', '--database', own, '--key-file', next, '--previous-key-file', file[1]!],
      )
      assert.equal(rotated.code, 0, rotated.stderr)
      const shown = await command('audit', '--database', own, '--json', '--operation', 'wolke secrets rotate')
      assert.equal(JSON.parse(shown.stdout).length, 1)
    })

    test('names the tokens that commands make, rotate and revoke, and their Projects', async () => {
      await (await serve(url, ...keyFile)).stop()
      const tokens = (...words: string[]) => command('token', ...words, '--database', url)
      const made = await tokens('create', '--project', 'default', '--name', 'named')
      const automation = await tokens('create', '--management', '--name', 'automation')
      const listed: { id: number; name: string; rotates: number | null }[] = JSON.parse(
        (await tokens('list', '--json')).stdout,
      )
      const idOf = (name: string) => listed.find((one) => one.name === name)!.id
      const [ofProject, management] = [idOf('named'), idOf('automation')]
      for (const id of [ofProject, management]) assert.equal((await tokens('rotate', `${id}`)).code, 0)
      const rotated: typeof listed = JSON.parse((await tokens('list', '--json')).stdout)
      const next = (id: number) => rotated.find(({ rotates }) => rotates === id)!.id
      for (const text of [made.stdout.trim(), automation.stdout.trim()])
        assert.equal((await tokens('revoke', text)).code, 0)
      assert.equal((await tokens('revoke', '424242')).code, 1)
      assert.equal((await tokens('rotate', '424242')).code, 1)
      const refusedOf = await tokens('create', '--project', 'default', '--expires', '2020-01-01T00:00:00Z')
      assert.equal(refusedOf.code, 2)
      const entries = await show('--operation', 'wolke token', '--limit', '9')
      assert.deepEqual(
        entries.map(({ operation, outcome, project, resources }) => [operation, outcome, project?.name, resources]),
        [
          ['wolke token create', 'ok', 'default', [ofProject]],
          ['wolke token create', 'ok', undefined, [management]],
          ['wolke token rotate', 'ok', 'default', [ofProject, next(ofProject)]],
          ['wolke token rotate', 'ok', undefined, [management, next(management)]],
          ['wolke token revoke', 'ok', 'default', [ofProject]],
          ['wolke token revoke', 'ok', undefined, [management]],
          ['wolke token revoke', 'refused', undefined, [424242]],
          ['wolke token rotate', 'refused', undefined, [424242]],
          ['wolke token create', 'refused', 'default', []],
        ],
      )
    })

    test('has what commands do, and what is done through the API', async () => {
      const server = await serve(url, ...keyFile)
      assert.equal((await command('project', 'create', 'staging', '--database', url)).code, 0)
      assert.equal((await command('project', 'create', 'staging', '--database', url)).code, 1)
      const made = await command('token', 'create', '--project', 'staging', '--database', url)
      assert.equal((await command('project', 'delete', 'staging', '--database', url)).code, 0)
      await call(server.baseUrl, 'DELETE', '/firewalls/1')
      await server.stop()
      const entries = await show('--limit', '5')
      assert.deepEqual(
        entries.map(({ actor, project, operation, outcome }) => [actor.kind, project?.name, operation, outcome]),
        [
          ['command line', 'staging', 'wolke project create', 'ok'],
          ['command line', undefined, 'wolke project create', 'refused'],
          ['command line', 'staging', 'wolke token create', 'ok'],
          ['command line', 'staging', 'wolke project delete', 'ok'],
          ['token', 'default', 'DELETE /firewalls/{id}', 'not_found'],
        ],
      )
      const { stdout } = await command('audit', '--database', url, '--limit', '10')
      assert.ok(!stdout.includes(made.stdout.trim()), 'a token is in the log')
      assert.match(stdout, /^\d+\t\d{4}-\S+Z\tcommand line \S+\tstaging\twolke project create\t\d+\tok\t$/m)
      assert.equal((await command('audit', '--database', url, '--since', 'yesterday')).code, 2)
    })
  })
}
