/** What operators administer, through real processes on both databases: the token that they give. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { until } from '../bare-database.ts'
import { engines } from '../harness.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../postgres.ts'
import { program } from './program.ts'

const { folder, serve, command, fail } = program('administration')
after(closeAdmin)

const tokenOf = (letter: string) => `given-${letter.repeat(58)}`

async function statusOf(baseUrl: string, token: string): Promise<number> {
  const response = await fetch(`${baseUrl}/ssh_keys`, { headers: { authorization: `Bearer ${token}` } })
  await response.body?.cancel()
  return response.status
}

for (const engineName of engines) {
  describe(`The token that is given, on ${engineName}`, () => {
    let url = `sqlite:${join(folder, 'given.db')}`
    before(async () => {
      if (engineName === 'postgres') url = (await createDatabase(await postgresUrl())).url
    })
    const keyFile = ['--key-file', join(folder, `${engineName}.key`)]
    const create = async (...options: string[]) =>
      (await command('token', 'create', '--database', url, '--project', 'default', ...options)).stdout.trim()

    test('is replaced by the next one, and those that were made stay', async () => {
      const first = await serve(url, ...keyFile, '--token', tokenOf('a'))
      const made = await create('--name', 'default')
      for (const token of [tokenOf('a'), made]) assert.equal(await statusOf(first.baseUrl, token), 200)
      await first.stop()

      const second = await serve(url, ...keyFile, '--token', tokenOf('b'))
      assert.equal(await statusOf(second.baseUrl, tokenOf('a')), 401)
      for (const token of [tokenOf('b'), made]) assert.equal(await statusOf(second.baseUrl, token), 200)
      await second.stop()

      // The same one again changes nothing.
      const third = await serve(url, ...keyFile, '--token', tokenOf('b'))
      for (const token of [tokenOf('b'), made]) assert.equal(await statusOf(third.baseUrl, token), 200)
      await third.stop()
    })

    test('may be one that was made: then it is replaced too', async () => {
      const made = await create()
      const first = await serve(url, ...keyFile, '--token', made)
      assert.equal(await statusOf(first.baseUrl, made), 200)
      assert.equal(await statusOf(first.baseUrl, tokenOf('b')), 401)
      await first.stop()
      const second = await serve(url, ...keyFile, '--token', tokenOf('c'))
      assert.equal(await statusOf(second.baseUrl, made), 401)
      await second.stop()
    })

    test('is refused where it may do something else', async () => {
      await command('project', 'create', 'other', '--database', url)
      const readOnly = await create('--read-only')
      const foreign = await create('--project', 'other')
      const says = (reason: string) => new RegExp(`^wolke: --token: this token ${reason}; give another one\n$`)
      assert.match(await fail(url, ...keyFile, '--token', readOnly), says('is read-only'))
      assert.match(await fail(url, ...keyFile, '--token', foreign), says('reaches another Project'))
    })

    if (engineName !== 'postgres') return

    test('stops working in every process, although they remember it', async () => {
      const first = await serve(url, ...keyFile, '--token', tokenOf('d'))
      assert.equal(await statusOf(first.baseUrl, tokenOf('d')), 200)
      const second = await serve(url, ...keyFile, '--token', tokenOf('e'))
      assert.equal(await statusOf(second.baseUrl, tokenOf('d')), 401)
      await until(async () => (await statusOf(first.baseUrl, tokenOf('d'))) === 401)
      for (const { baseUrl } of [first, second]) assert.equal(await statusOf(baseUrl, tokenOf('e')), 200)
      await Promise.all([first.stop(), second.stop()])
    })

    test('is one, whichever of several that start together comes last', async () => {
      const tokens = ['f', 'g', 'h'].map(tokenOf)
      const servers = await Promise.all(tokens.map((token) => serve(url, ...keyFile, '--token', token)))
      const statuses = await Promise.all(tokens.map((token) => statusOf(servers[0]!.baseUrl, token)))
      assert.deepEqual(statuses.sort(), [200, 401, 401])
      await Promise.all(servers.map((server) => server.stop()))
    })
  })
}
