/** Seeds that were changed at random, by a fixed seed: each is refused by field, or understood; none does harm. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { dump } from '../../kit/database/dump.ts'
import { type Answer, forEachDatabase, type World } from '../../kit/harness.ts'
import { fill } from '../kit.ts'
import { fieldsOf, labOptions, seedsOf } from './kit.ts'

const everything = readFileSync(join(import.meta.dirname, 'everything.yaml'), 'utf8')
/** What is refused when it is made, and not before: no seed that has it is ever carried out. */
const poison = { name: 'poison', zones: [{ name: 'a.b.c.example.com', mode: 'primary' }] }
const poisoned = 'projects[0].zones[0].name'

/** The same numbers each time, from 0 to below `most`. */
function numbers(seed: number) {
  let state = seed
  return (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

const odd: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 53,
  '',
  ' ',
  'nobody',
  'x'.repeat(300),
  '\u0001',
  'ünïcode',
  [],
  [[]],
  {},
  { name: 'nobody' },
  '10.0.0.0/8',
]

// biome-ignore lint/suspicious/noExplicitAny: values of every shape
function placesIn(value: any): { holder: any; key: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).flatMap((key) => [{ holder: value, key }, ...placesIn(value[key])])
}

/** Changes one place of a value. */
function mutate(value: object, next: (most: number) => number): void {
  const places = placesIn(value)
  const { holder, key } = places[next(places.length)]!
  const way = next(4)
  if (way === 0) delete holder[key]
  else if (way < 3) holder[key] = odd[next(odd.length)]
  else if (Array.isArray(holder)) holder.push(structuredClone(holder[Number(key)]))
  else holder[`${key}s`] = holder[key]
}

/** As text and as values they are a thousand. */
const rounds = 500

/** All that is there, but for which ids come next. */
const dumpButIds = async ({ db }: World) => (await dump(db)).replace(/^.*"only".*$/m, '')

forEachDatabase('Mutated seeds', (open) => {
  test('are refused by field and change nothing', async () => {
    const world = await open(labOptions())
    const seeds = await seedsOf(world)
    await fill(world)
    const [there, before] = [await seeds.projects(), await dumpButIds(world)]
    const next = numbers(31)
    const { projects } = parse(everything)
    let early = 0
    for (let round = 0; round < rounds; round++) {
      const mutated = structuredClone(projects)
      for (let count = 1 + next(2); count > 0; count--) mutate(mutated, next)
      const answer = await seeds.post({ projects: [poison, ...mutated] })
      check(answer, JSON.stringify(mutated))
      if (!fieldsOf(answer).includes(poisoned)) early++
    }
    // The rest is understood, or wrong only for the operation that would make it.
    assert.ok(early > rounds / 3, `${early} of ${rounds} were refused before anything was made`)
    assert.deepEqual(await seeds.projects(), there)
    assert.equal(await dumpButIds(world), before)
  })

  test('are refused as text, too', async () => {
    const world = await open(labOptions())
    const seeds = await seedsOf(world)
    const [there, before] = [await seeds.projects(), await dumpButIds(world)]
    const next = numbers(32)
    const text = everything.replace('projects:\n', `projects:\n  - ${JSON.stringify(poison)}\n`)
    const marks = [
      ':',
      '-',
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a ',
      '!!js ',
      '\t',
      '\n',
      "'",
      '"',
      '#',
      '? ',
      '| ',
      '\u0000',
      '%',
    ]
    for (let round = 0; round < rounds; round++) {
      const at = next(text.length)
      const length = next(4) === 0 ? next(200) : next(3)
      const mutated = text.slice(0, at) + marks[next(marks.length)] + text.slice(at + length)
      check(await seeds.yaml(mutated), mutated)
    }
    assert.deepEqual(await seeds.projects(), there)
    assert.equal(await dumpButIds(world), before)
  })

  test('cannot grow by their aliases', async () => {
    const seeds = await seedsOf(await open(labOptions()))
    const laughs = ['a: &a [x, x, x, x, x, x, x, x, x]']
    for (let at = 1; at < 12; at++)
      laughs.push(
        `${'abcdefghijkl'[at]}: &${'abcdefghijkl'[at]} [${Array(9)
          .fill(`*${'abcdefghijkl'[at - 1]}`)
          .join(', ')}]`,
      )
    assert.deepEqual(fieldsOf(await seeds.yaml(laughs.join('\n'))), ['yaml'])
    assert.deepEqual(fieldsOf(await seeds.yaml(`projects: ${'['.repeat(5_000)}`)), ['yaml'])
    assert.deepEqual(fieldsOf(await seeds.yaml('projects: &a [*a]')), ['yaml'])
  })
})

function check(answer: Answer, what: string): void {
  const isRefused = answer.status === 422 || answer.status === 400
  assert.ok(isRefused, `${answer.status} ${answer.text}\n${what}`)
  if (answer.status === 422) assert.ok(fieldsOf(answer).length > 0, `${answer.text}\n${what}`)
}
