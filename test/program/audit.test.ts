/** The audit log of real processes: what it holds after a kill, and what commands leave in it and show of it. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { engines } from '../engines.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../postgres.ts'
import { call, makeKey, program } from './program.ts'

const { folder, serve, command } = program('audit')
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
