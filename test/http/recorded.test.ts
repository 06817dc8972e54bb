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
import { samples } from '../kit/proofs.ts'
import { expect, settleAll } from '../kit/resources.ts'

interface Step {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
  readonly status: number
  /**
   * Paths into the answer: `a.b` is a property, `a[].b` one of each element; `~` stands for a dot in a name, and what is
   * found at `a=b` goes by the name b afterwards.
   */
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

type Values = Map<string, string | number>

/** Sends all requests, each after what the last one started has ended; `values` are what names in braces stand for. */
async function replay(world: World, { steps }: Recording, values: Values): Promise<void> {
  for (const { method, path, body, status, reads, finds } of steps) {
    const filled = path.replaceAll(/\{(.*?)\}/g, (_, name: string) => encodeURIComponent(values.get(name)!))
    const answer = expect(await world.api.request(method, filled, { body }), status)
    await settleAll(world)
    for (const one of reads) {
      const [at = '', name] = one.split('=')
      const found = valuesAt(answer.body, at)
      assert.notEqual(found.length, 0, `${method} ${path} has no ${at}`)
      if (name !== undefined) values.set(name, found[0] as number)
    }
    if (finds) assert.deepEqual(valuesAt(answer.body, 'rrsets[].id').sort(), finds, `${method} ${path}`)
  }
}

/** One resource of each kind, whose ID goes by the name of its family, and two times. */
async function furnish(world: World): Promise<Values> {
  const values: Values = new Map()
  for (const [family, { isShared, prepare }] of Object.entries(samples)) {
    if (!isShared) values.set(family, (await prepare(world)).id)
  }
  await settleAll(world)
  world.clock.advance(60_000)
  const now = world.clock.now()
  return values.set('before', timestamp(now - 1_000)).set('now', timestamp(now))
}

for (const file of globSync('*', { cwd: folder })) {
  describe(`As recorded in ${file}`, () => {
    for (const recording of read(file)) {
      forEachDatabase(recording.title, (open) => {
        test('every request is answered as the program expects', async () => {
          const world = await open({ runActions: false })
          await replay(world, recording, await furnish(world))
        })
      })
    }
  })
}
