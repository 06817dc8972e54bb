/** What guests and their owners can make of files and commands keeps nobody else from working. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Incus } from './client.ts'
import { settleOperations } from './operations.ts'

async function incusThat(t: TestContext, answers: RequestListener): Promise<Incus> {
  const directory = mkdtempSync(join(tmpdir(), 'incus-'))
  const socket = join(directory, 'socket')
  const server = createServer(answers)
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  const incus = new Incus([{ socket }])
  t.after(() => {
    incus.close()
    server.closeAllConnections()
    server.close()
    rmSync(directory, { recursive: true })
  })
  return incus
}

test('hosts of which none answers are all named with the reason, and the one that is told to change something alone', async (t) => {
  const incus = new Incus([{ socket: '/nowhere/h1' }, { socket: '/nowhere/h2' }])
  t.after(() => incus.close())
  const absence = (...names: readonly string[]) => ({
    message: `The hosts do not answer at ${names.join(', ')}`,
    transient: true,
  })
  await assert.rejects(incus.get('/1.0'), absence('/nowhere/h1', '/nowhere/h2'))
  await assert.rejects(incus.get('/1.0'), ({ cause }: Error) => {
    assert.match((cause as Error).message, /^\/nowhere\/h1: .*ENOENT.*; \/nowhere\/h2: .*ENOENT/)
    return true
  })
  await assert.rejects(incus.begin('DELETE', '/1.0/instances/srv-1'), absence('/nowhere/h1'))
  await assert.rejects(incus.begin('DELETE', '/1.0/instances/srv-1'), absence('/nowhere/h2'))
})

test('a file without an end is read up to a limit', async (t) => {
  const incus = await incusThat(t, (_, response) => {
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'a')));
    }
    response.on('drain', write)
    write()
  })
  assert.equal((await incus.file('/1.0/instances/srv-1/files?path=/endless'))?.length, 1_048_576)
})

test('commands in guests are not waited for, as they may have no end', async (t) => {
  const waited: string[] = []
  const operation = (id: string, description: string) => {
    return { id, description, class: 'task', status_code: 103, resources: { instances: ['/1.0/instances/srv-1'] } }
  }
  const incus = await incusThat(t, ({ url = '' }, response) => {
    const [, id] = /operations\/(\w+)\/wait/.exec(url) ?? []
    if (id) waited.push(id)
    const running = { running: [operation('a', 'Executing command'), operation('b', 'Starting instance')] }
    response.end(JSON.stringify({ type: 'sync', metadata: id ? { status_code: 200 } : running }))
  })
  await settleOperations(incus, 'srv-1')
  assert.deepEqual(waited, ['b'])
})
