/**
 * Requests of programs that cannot be installed here, as they were recorded: each gets the status that the program expects
 * and all that it reads. Programs that can be installed are run themselves (test/clients/ecosystem).
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { timestamp } from '../../src/kernel/process/clock.ts'
import { forEachDatabase, type World } from '../kit/harness.ts'
import { expect, settleAll } from '../kit/resources.ts'

interface Step {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
  readonly status: number
  /** Paths into the answer: `a.b` is a property, `a[].b` one of each element; `~` stands for a dot in a name. */
  readonly reads: readonly string[]
  /** IDs of all RRSets that are there. */
  readonly finds: readonly string[] | undefined
}

interface Recording {
  readonly title: string
  readonly steps: readonly Step[]
}

const folder = join(import.meta.dirname, '../fixtures/recorded')

function read(file: string): Recording[] {
  const [head = '', ...parts] = readFileSync(join(folder, file), 'utf8').split(/^== /m)
  const named = new Map([...head.matchAll(/^(\w+) = (.*)$/gm)].map(([, name, reads]) => [name!, reads!.split(' ')]))
  return parts.map((part) => {
    const [title = '', ...lines] = part.trimEnd().split('\n')
    return { title, steps: lines.map((line) => parse(line, named)) }
  })
}

function parse(line: string, named: ReadonlyMap<string, readonly string[]>): Step {
  const found = /^([A-Z]+) (\S+)(?: (\{.*\}))? -> (\d+) ([^:]+)(?:: (.*))?$/.exec(line)
  assert.ok(found, `no step: ${line}`)
  const [, method = '', path = '', body, status, reads = '', finds] = found
  const paths = reads.split(' ').flatMap((one) => named.get(one) ?? [one])
  return { method, path, body, status: Number(status), reads: paths, finds: finds?.split(' ') }
}

/** All values at a path; a part of the answer that is missing throws. */
function valuesAt(value: unknown, path: string): unknown[] {
  return path.split('.').reduce<unknown[]>(
    (values, part) => {
      const [, name, isEach] = /^(.*?)(\[\])?$/.exec(part)!
      return values.flatMap((one) => {
        const next = (one as Record<string, unknown>)[name!.replaceAll('~', '.')]
        assert.notEqual(next, undefined, `the answer has no ${path}: ${JSON.stringify(one)}`)
        return isEach ? (next as unknown[]) : [next]
      })
    },
    [value],
  )
}

/** Sends all requests, each after what the last one started has ended; `values` are what names in braces stand for. */
async function replay(world: World, { steps }: Recording, values: Readonly<Record<string, string | number>>) {
  for (const { method, path, body, status, reads, finds } of steps) {
    const filled = path.replaceAll(/\{(.*?)\}/g, (_, name: string) => encodeURIComponent(values[name]!))
    const answer = expect(await world.api.request(method, filled, { body }), status)
    await settleAll(world)
    for (const one of reads) assert.notEqual(valuesAt(answer.body, one).length, 0, `${method} ${path} has no ${one}`)
    if (finds) assert.deepEqual(valuesAt(answer.body, 'rrsets[].id').sort(), finds, `${method} ${path}`)
  }
}

/** What each program finds when it comes. */
const places: Readonly<Record<string, (world: World) => Promise<Readonly<Record<string, string | number>>>>> = {
  async 'external-dns.txt'({ api }) {
    const zone = async (name: string) => expect(await api.post('/zones', { name, mode: 'primary' }), 201).body.zone.id
    return { 'example.com': await zone('example.com'), 'example.org': await zone('example.org') }
  },
  async 'hcloud-exporter.txt'(world) {
    const { api, clock } = world
    const place = { location: 'hel1' }
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
    expect(await api.post('/ssh_keys', { name: 'key', public_key: key }), 201)
    const server = { name: 'server', server_type: 'cx23', image: 'debian-12', ...place }
    const made = expect(await api.post('/servers', server), 201).body.server.id
    const balancer = { name: 'balancer', load_balancer_type: 'lb11', ...place }
    const balanced = expect(await api.post('/load_balancers', balancer), 201).body.load_balancer.id
    expect(await api.post('/volumes', { name: 'disk', size: 10, ...place }), 201)
    expect(await api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' }), 201)
    await settleAll(world)
    clock.advance(60_000)
    const now = clock.now()
    return { server: made, balancer: balanced, before: timestamp(now - 1_000), now: timestamp(now) }
  },
}

test('each recording has a place', () => {
  assert.deepEqual(globSync('*', { cwd: folder }).sort(), Object.keys(places).sort())
})

for (const [file, place] of Object.entries(places)) {
  describe(`As recorded in ${file}`, () => {
    for (const recording of read(file)) {
      forEachDatabase(recording.title, (open) => {
        test('every request is answered as the program expects', async () => {
          const world = await open({ runActions: false })
          await replay(world, recording, await place(world))
        })
      })
    }
  })
}
