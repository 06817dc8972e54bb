/** Questions for `rules.ts`, and the program with which a browser answers them. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { rolldown } from 'rolldown'
import { protocols } from '../../src/families/firewalls/domain.ts'
import { answer } from './rules.ts'

const network = fc.oneof(
  fc.constantFrom(
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/8',
    '10.0.1.0/24',
    '198.51.100.0/24',
    '192.0.2.1',
    '2001:db8::/32',
    '',
  ),
  fc.ipV4(),
  fc.ipV6(),
  fc.tuple(fc.ipV4(), fc.nat(33)).map(([address, length]) => `${address}/${length}`),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const text = fc.oneof(
  fc.constantFrom('80', '1-65535', '70000', 'env=prod', 'env in (a,b),!tier', 'env notin (a', 'k==', 'ä=ü', 'a/b/c'),
  fc.string({ unit: fc.constantFrom(...'ab!=(), in'), maxLength: 16 }),
  fc.string({ unit: 'grapheme', maxLength: 16 }),
)
const word = fc.oneof(fc.constantFrom('env', 'prod', 'a', 'example.com/tier', 'wolke.cloud/x', 'Ü', ''), text)
const direction = fc.constantFrom('in', 'out')
const rule = fc.record({
  direction,
  protocol: fc.constantFrom(...protocols),
  port: fc.option(fc.oneof(fc.constantFrom('80', 'any', '1-9'), text)),
  source_ips: fc.array(network, { maxLength: 3 }),
  destination_ips: fc.array(network, { maxLength: 2 }),
  description: fc.option(text),
})
const question = fc.record({
  rules: fc.array(rule, { maxLength: 4 }),
  port: fc.constantFrom(0, 1, 5, 80, 443, 65_535),
  text,
  labels: fc.dictionary(word, word, { maxKeys: 4 }),
  subnet: fc.record({
    type: fc.constantFrom('cloud', 'server', 'vswitch'),
    network_zone: fc.constantFrom('eu-central', 'nowhere'),
    ip_range: fc.option(network),
    vswitch_id: fc.option(fc.constant(7)),
  }),
  route: fc.record({ destination: network, gateway: network }),
  address: network,
  id: fc.nat(1_000),
})

/** Asks a browser as many questions at once, and expects what Node answers. */
export async function answersAsNode(ask: (questions: string[]) => Promise<string[]> | string[]): Promise<void> {
  const questions = fc.sample(question, 1_000).map((one) => JSON.stringify(one))
  const expected = questions.map(answer)
  assert.ok(new Set(expected).size > 900, 'the questions are different ones')
  const answers = await ask(questions)
  for (const [index, one] of questions.entries())
    assert.deepEqual(JSON.parse(answers[index]!), JSON.parse(expected[index]!), one)
}

const root = new URL('../../', import.meta.url).pathname

/** A script for browsers whose exports are `made`. */
export async function bundled(source: string): Promise<string> {
  const entry = `${root}made.ts`
  const given = { name: 'given', load: (id: string) => (id === entry ? source : null), resolveId: givenEntry }
  const build = await rolldown({ input: entry, platform: 'browser', plugins: [given] })
  const { output } = await build.generate({ format: 'iife', name: 'made', minify: true })
  await build.close()
  assert.ok(!output[0].moduleIds.some((id) => id.includes('node:')))
  return output[0].code

  function givenEntry(id: string) {
    return id === entry ? id : null
  }
}
