/** Probes go when the attempt is over, however that ends, and so do those of checks that were killed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Incus, IncusError } from '../../../protocols/incus/client.ts'
import { pathsFound } from './paths.ts'

interface Instance {
  name: string
  status: string
  config: Record<string, string> | null
}

/** A cluster that runs containers, and answers commands in them with the MTU alone. */
function cluster(instances: Map<string, Instance>, refuses: (target: string | undefined) => boolean = () => false) {
  const nameIn = (path: string) => path.split('/')[3]!
  return {
    list: async () => [...instances.values()],
    get: async (path: string) => {
      const value = instances.get(nameIn(path))
      return value && { value, etag: undefined }
    },
    async change(method: string, path: string, body?: unknown, options?: { target?: string }) {
      const name = nameIn(path)
      if (path === '/1.0/instances') {
        if (refuses(options?.target)) throw new IncusError(500, `POST ${path}`, 'there is no room')
        const made = body as Instance
        instances.set(made.name, { ...made, status: 'Stopped' })
      } else if (path.endsWith('/exec')) return { return: 0, output: { 1: 'stdout' } }
      else if (path.endsWith('/state')) {
        instances.get(name)!.status = (body as { action: string }).action === 'start' ? 'Running' : 'Stopped'
      } else if (method === 'DELETE' && path.startsWith('/1.0/instances/')) {
        assert.equal(instances.get(name)!.status, 'Stopped')
        instances.delete(name)
      }
      return undefined
    },
    text: async () => '1500',
  } as unknown as Incus
}

const options = { pool: 'local', publicNetwork: 'pub' }
const member = (server_name: string, status = 'Online') => ({ server_name, status, url: '', architecture: 'x86_64' })
const members = [member('h1'), member('h2'), member('h3', 'Offline')]

test('hosts that are gone are not tried, and what was made is removed', async () => {
  const instances = new Map<string, Instance>()
  const found = await pathsFound({ incus: cluster(instances), options }, members)
  assert.deepEqual(
    found.map(({ what, isFine }) => [what, isFine]),
    [
      ['packets from h1 to h2', false],
      ['packets from h2 to h1', false],
    ],
  )
  assert.deepEqual([...instances.keys()], [])
})

test('a host that takes no probe is named with the reason, and the others are tried', async () => {
  const instances = new Map<string, Instance>()
  const incus = cluster(instances, (target) => target === 'h2')
  const found = await pathsFound({ incus, options }, [...members, member('h4')])
  const [first, ...others] = found
  assert.equal(first?.what, 'probe on h2')
  assert.match(first.says, /refused POST \/1\.0\/instances \(500\): there is no room/)
  assert.deepEqual(
    others.map(({ what }) => what),
    ['packets from h1 to h4', 'packets from h4 to h1'],
  )
  assert.deepEqual([...instances.keys()], [])
})

test('an attempt that is ended clears up before it says so', async () => {
  const instances = new Map<string, Instance>()
  const reason = new Error('enough')
  const attempt = pathsFound({ incus: cluster(instances), options, signal: AbortSignal.abort(reason) }, members)
  await assert.rejects(attempt, reason)
  assert.deepEqual([...instances.keys()], [])
})

test('what a check that was killed has left is removed, and nothing else', async () => {
  const made = (ago: number) => ({ 'user.wolke.probe': String(Date.now() - ago) })
  const instances = new Map<string, Instance>(
    Object.entries({
      'wolke-probe-old': { name: 'wolke-probe-old', status: 'Running', config: made(3_600_000) },
      'wolke-probe-new': { name: 'wolke-probe-new', status: 'Running', config: made(1_000) },
      'wolke-probe-mine': { name: 'wolke-probe-mine', status: 'Running', config: {} },
      silent: { name: 'silent', status: 'Error', config: null },
    }),
  )
  await pathsFound({ incus: cluster(instances), options }, members)
  assert.deepEqual([...instances.keys()], ['wolke-probe-new', 'wolke-probe-mine', 'silent'])
})
