/** What operators see of a cloud that works, and what they take from a server that was killed. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { until } from '../../kit/database/bare-database.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../../kit/database/postgres.ts'
import { engines } from '../../kit/engines.ts'
import { call, program, type Served } from '../kit/program.ts'

const { folder, serve, command, watch } = program('operate')
after(closeAdmin)

/** Longer than any test: whatever runs is stuck in the simulated infrastructure. */
const stuck = ['--action-delay', '3600000']
const body = { name: 'web', server_type: 'cx23', image: 'debian-12', location: 'hel1' }

for (const engineName of engines) {
  describe(`A cloud at work on ${engineName}`, () => {
    let url = `sqlite:${join(folder, 'work.db')}`
    before(async () => {
      if (engineName === 'postgres') url = (await createDatabase(await postgresUrl())).url
    })
    const keyFile = ['--key-file', join(folder, `${engineName}.key`)]
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await command(...args, '--database', url)
      return { code, stdout: stdout.trim(), stderr: stderr.trim() }
    }
    // biome-ignore lint/suspicious/noExplicitAny: each command has a shape of its own
    const json = async (...args: string[]): Promise<any[]> => JSON.parse((await run(...args, '--json')).stdout)
    const create = async ({ baseUrl }: Served) => {
      const { status, json: made } = await call(baseUrl, 'POST', '/servers', body)
      assert.equal(status, 201, JSON.stringify(made))
      return { server: made.server.id as number, action: made.action.id as number }
    }

    test('shows what runs, what waits for what, and who has it', async () => {
      const server = await serve(url, ...keyFile, ...stuck)
      const { server: id, action } = await create(server)
      const held = async () => (await json('leases', 'list')).find((one) => one.action === action)
      await until(async () => (await held()) !== undefined)
      const lease = await held()
      assert.deepEqual([lease.command, lease.holder, lease.over], ['create_server', 'runs', false])
      assert.match(lease.worker, new RegExp(`:${server.child.pid}:[0-9a-f]{8}$`))
      const [status] = await json('status')
      assert.match(status.processes[0].name, new RegExp(`:${server.child.pid}$`))
      assert.ok(
        status.processes[0].jobs.every(
          ({ next_run: next }: { next_run: string }) => next > status.processes[0].started,
        ),
      )
      const shown = status.actions.oldest.find((one: { id: number }) => one.id === action)
      assert.deepEqual([shown.waits_for, shown.step, shown.project.name], ['driver', 'create', 'default'])
      const behind = status.actions.oldest.filter((one: { waits_for: string }) => one.waits_for === 'queue')
      assert.ok(behind.every((one: { behind: { queue: string } }) => one.behind.queue === `server:${id}`))
      const [queue] = status.queues
      assert.deepEqual([queue.project.name, queue.actions], ['default', status.actions.total])
      const locks = await json('locks', 'list')
      assert.ok(locks.some((one) => one.kind === 'lock' && one.name === `server:${id}`))
      const text = (await run('status')).stdout
      assert.match(text, new RegExp(`Process .*:${server.child.pid}: since `))
      assert.match(
        text,
        new RegExp(`${action} create_server on server ${id}.* of default, since .* is at the step create`),
      )
      assert.match((await run('actions', 'list', '--project', 'default')).stdout, /create_server/)
      assert.match((await run('actions', 'show', `${action}`)).stdout, /status {5}running, 0 %, since/)
      const { code, stderr } = await run('locks', 'release', `server:${id}`, '--yes')
      assert.equal(code, 1)
      assert.match(stderr, /counts on it: first wolke leases release/)
      await server.kill()
    })

    test('the lease of a server that was killed is seen, and taken away only when that is said', async () => {
      const before = await json('leases', 'list')
      const { action } = before.find((one) => one.command === 'create_server')
      if (engineName === 'postgres') await until(async () => (await json('status'))[0].processes.length === 0)
      const asked = await run('leases', 'release', `${action}`)
      assert.deepEqual([asked.code, asked.stderr.startsWith('wolke: this would take action')], [2, true])
      assert.match(asked.stderr, /repeat it with --yes$/)
      const { code, stdout, stderr } = await run('leases', 'release', `${action}`, '--yes')
      assert.equal(code, 0, stderr)
      assert.match(stdout, new RegExp(`^Action ${action} was taken from .*:\\d+:[0-9a-f]{8}$`))
      const again = await run('leases', 'release', `${action}`, '--yes')
      assert.deepEqual([again.code, again.stderr], [1, `wolke: nobody holds action ${action}`])
      assert.equal((await run('leases', 'show', `${action}`)).code, 1)
      const [shown] = await json('actions', 'show', `${action}`)
      assert.equal(shown.waiting.waits_for, 'worker')
    })

    test('a lock whose action nobody runs is opened, and one that is not there is an error', async () => {
      const lock = (await json('locks', 'list')).find(({ kind, name }) => kind === 'lock' && name.startsWith('server:'))
      const { code, stdout } = await run('locks', 'release', lock.name, '--yes')
      assert.deepEqual([code, stdout], [0, `${lock.name} is unlocked; action ${lock.action} had the lock`])
      const again = await run('locks', 'release', lock.name, '--yes')
      assert.deepEqual([again.code, again.stderr], [1, `wolke: no action locks ${lock.name.replace(':', ' ')}`])
      assert.match((await run('locks', 'release', 'nonsense', '--yes')).stderr, /names no resource/)
    })

    test('the next server ends what was released, and each deed is in the audit log', async () => {
      const [first] = (await json('actions', 'list')).filter(({ command: what }) => what === 'create_server')
      const server = await serve(url, ...keyFile)
      await until(async () => (await json('actions', 'show', `${first.id}`))[0].status === 'success')
      const retried = await run('actions', 'retry', `${first.id}`, '--yes')
      assert.deepEqual([retried.code, /has ended well/.test(retried.stderr)], [1, true])
      assert.deepEqual((await run('actions', 'retry', '5', '--yes')).stderr, 'wolke: there is no action 5')
      const entries = await json('audit')
      const of = (operation: string) =>
        entries
          .filter((one) => one.operation === operation)
          .map(({ outcome, resources, project }) => [outcome, resources, project?.name])
      assert.deepEqual(
        of('wolke leases release').filter(([outcome]) => outcome === 'ok'),
        [['ok', [first.id], 'default']],
      )
      assert.equal(of('wolke locks release').filter(([outcome]) => outcome === 'ok').length, 1)
      assert.ok(of('wolke actions retry').every(([outcome]) => outcome === 'refused'))
      for (const read of ['status', 'actions list', 'leases list', 'locks list'])
        assert.deepEqual(of(`wolke ${read}`), [])
      await server.stop()
    })
  })
}

test('a server in memory answers all of it through its socket, and is watched', async () => {
  const server = await serve('memory', ...stuck)
  const { json: made } = await call(server.baseUrl, 'POST', '/servers', body)
  const memory = async (...args: string[]) => command(...args, '--database', 'memory')
  await until(async () => (await memory('leases', 'list')).stdout !== '')
  const watched = await watch('status', '--watch', '--database', 'memory')
  await until(() => watched.lines().filter((line) => line.startsWith('Wolke at ')).length > 1)
  await watched.stop()
  assert.ok(watched.lines().some((line) => line.includes(`${made.action.id} create_server`)))
  const released = await memory('actions', 'release', `${made.action.id}`, '--yes')
  assert.match(released.stdout, /was taken from/)
  assert.match((await memory('audit')).stdout, /wolke actions release/)
  await server.stop()
})
