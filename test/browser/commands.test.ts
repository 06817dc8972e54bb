/** What the console shows to be pasted into shells: whatever is in its values, they arrive, and nothing else runs. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { toCurl } from '../../console/commands/curl.ts'
import { toHcloud } from '../../console/commands/hcloud/render.ts'
import type { Asked } from '../../console/commands/request.ts'
import { pathOf } from '../../console/commands/request.ts'
import { commandLine, Expanded, piped, sh } from '../../console/commands/shell.ts'
import { colored } from '../../console/ui/colored.ts'
import type { Endpoint } from '../../src/kernel/contract/contract.ts'
import { allEndpoints, ownEndpoints } from '../../src/pages/openapi.ts'
import { accepted, hostile } from '../clients/kit/bodies.ts'
import { selected, shellsForSuite, textsIn, textsOf } from '../kit/samples/pasted.ts'

interface Row {
  readonly operation: string
  readonly endpoint: Endpoint
}

const rowsOf = (endpoints: ReturnType<typeof allEndpoints>): readonly Row[] =>
  endpoints.map(({ family, key, endpoint }) => ({ operation: `${family}_${key}`, endpoint }))
const rows = rowsOf(allEndpoints())
const ownRows = rowsOf(ownEndpoints()).filter(({ endpoint: { needs } }) => needs !== 'person')

/** Also what ends a paste, an input or a line, and what formats and templates read. */
const nasty = fc
  .array(
    fc.oneof(
      hostile,
      fc.constantFrom('\r', '\x1b[201~\n', '\x03', '\x7f', '\x85', '\u2028', '\nEOF\n', '%s', '%n', '\\', "'", '\\n"'),
      fc.constantFrom(
        '!!',
        '!x',
        "'!",
        '#!/bin/sh\n',
        '`touch ran`',
        '$(touch ran)',
        '-',
        '=',
        '\\\n',
        '{a,b}',
        '<(id)',
      ),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(''))
const samples = fc.sample(nasty, { numRuns: 500, seed: 28 })

const shells = shellsForSuite()

describe('coloured commands', () => {
  it('are cut into pieces that are the text again', () => {
    for (const text of samples) {
      assert.equal(selected(text), text)
      assert.equal(
        selected(commandLine(['curl', '--data-raw', JSON.stringify({ text })])),
        commandLine(['curl', '--data-raw', JSON.stringify({ text })]),
      )
    }
  })

  it('have options, values and comments', () => {
    const kinds = (text: string) => colored(text).flatMap(({ text, kind }) => (kind ? [[text, kind]] : []))
    assert.deepEqual(kinds(`hcloud server create --name 'it'\\''s' \\\n  --label=a=b # more`), [
      ['--name', 'flag'],
      [`'it'\\''s'`, 'value'],
      ['--label', 'flag'],
      ['=a=b', 'value'],
      ['# more', 'comment'],
    ])
    assert.deepEqual(kinds('name = "a \\" b"\nsize = 10'), [['"a \\" b"', 'value']])
  })
})

const installed = (['sh', 'bash'] as const).filter((name) => existsSync(`/bin/${name}`))

for (const program of installed) {
  describe(`words that are pasted into ${program}`, () => {
    // A shell that somebody works in takes ten times as long.
    const given = samples.slice(0, program === 'sh' ? 200 : 60)
    const pasted = async (texts: readonly string[]) => (await shells().paste(texts, program)).map(({ calls }) => calls)

    it('arrive as they are, and nothing of them runs', async () => {
      const calls = await pasted(given.map((text) => selected(commandLine(['hcloud', 'a', '--name', text, text]))))
      assert.deepEqual(
        calls.map(([call]) => call?.args),
        given.map((text) => ['a', '--name', text, text]),
      )
    })

    it('arrive as parts of words, as inputs, and beside variables', async () => {
      const calls = await pasted(
        given.map((text) =>
          [
            sh`hcloud /mnt/${text} ${7}`,
            selected(piped(text, commandLine(['hcloud', text]))),
            commandLine(['hcloud', new Expanded(text, 'NUMBER', text)]),
          ].join('\n'),
        ),
      )
      given.forEach((text, index) => {
        const [parts, input, variable] = calls[index]!
        assert.deepEqual(parts?.args, [`/mnt/${text}`, '7'])
        assert.deepEqual([input?.args, input?.input], [[text], text])
        assert.deepEqual(variable?.args, [`${text}${index}${text}`])
      })
    })
  })
}

/** Random requests of a kind, whose texts are hostile wherever the contract takes any. */
function requestsOf({ endpoint }: Row, count: number): readonly Asked[] {
  const params = fc.record(
    Object.fromEntries(
      [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, name === 'id' ? fc.nat(99) : hostile]),
    ),
  )
  const body = endpoint.body ? accepted(endpoint.body as never, '', {}) : fc.constant(undefined)
  const query = fc.record(
    Object.fromEntries(
      Object.entries(endpoint.query ?? {}).map(([name, { schema }]) => [name, accepted(schema as never, '', {})]),
    ),
    { requiredKeys: [] },
  )
  return fc.sample(fc.record({ params, body, query }), { numRuns: count, seed: 28 }) as never
}

describe('commands of curl', () => {
  it('are the requests that they stand for', async () => {
    const all = [...rows, ...ownRows].flatMap((row) =>
      requestsOf(row, 1).map((asked) => ({
        row,
        asked: { ...asked, operation: row.operation },
      })),
    )
    const texts = all.map(({ row: { endpoint }, asked }) => {
      const rendered = toCurl(asked, endpoint, { endpoint: `${shells().endpoint}/v1` })
      assert.ok('text' in rendered)
      return `${selected(rendered.text)} --silent`
    })
    const pasted = await shells().paste(texts)
    all.forEach(({ row: { endpoint }, asked }, index) => {
      const [request, ...more] = pasted[index]!.requests
      assert.ok(request, texts[index])
      assert.equal(request.method, endpoint.method)
      assert.equal(request.url, new URL(`http://any/v1${pathOf(asked, endpoint)}`).href.slice('http://any'.length))
      assert.equal(request.body, asked.body === undefined ? '' : JSON.stringify(asked.body))
      assert.deepEqual(more, [])
    })
  })

  it('take bodies that are longer than an argument can be', async () => {
    const { endpoint } = rows.find(({ operation }) => operation === 'zones_importZonefile')!
    const body = { zonefile: `${"it's $(id) äöü\n".repeat(20_000)}` }
    const asked = { operation: 'zones_importZonefile', params: { id_or_name: 'example.com' }, body }
    const rendered = toCurl(asked, endpoint, { endpoint: shells().endpoint })
    const [
      {
        requests: [request],
      } = { requests: [] },
    ] = await shells().paste(['text' in rendered ? rendered.text : ''])
    assert.deepEqual(JSON.parse(request?.body ?? ''), body)
  })

  it('go on with what was made', async () => {
    const rowOf = (operation: string) => rows.find((row) => row.operation === operation)!.endpoint
    const body = { name: "it's", user_data: '#!/bin/sh\necho "$(id)"\n' }
    const asked = { operation: 'servers_create', body, afterwards: ['servers_enableBackup'] }
    const rendered = toCurl(asked, rowOf('servers_create'), { endpoint: `${shells().endpoint}/$(id)`, rowOf })
    const [{ requests } = { requests: [] }] = await shells().paste(['text' in rendered ? rendered.text : ''])
    assert.deepEqual(
      requests.map(({ method, url, body }) => [method, decodeURI(url), body]),
      [
        ['POST', '/$(id)/servers', JSON.stringify(body)],
        ['POST', '/$(id)/servers/42/actions/enable_backup', ''],
      ],
    )
  })
})

/** What the type of a target does not speak of is none of its. */
function withoutStrangers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutStrangers)
  const { type } = value as { readonly type?: string }
  const parts = ['server', 'label_selector', 'ip']
  const isTarget = type !== undefined && parts.includes(type)
  const kept = Object.entries(value).filter(([name]) => !isTarget || name === type || !parts.includes(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutStrangers(one)]))
}

describe('commands of hcloud', () => {
  it('say all texts of the requests that they stand for, and no others', async () => {
    const all = rows.flatMap((row) =>
      requestsOf(row, 3).map(
        (asked): Asked => ({ ...asked, operation: row.operation, body: withoutStrangers(asked.body) }),
      ),
    )
    const shown = all.flatMap((asked) => {
      const rendered = toHcloud(asked, { labels: {} })
      return 'text' in rendered ? [{ asked, text: selected(rendered.text) }] : []
    })
    const pasted = await shells().paste(shown.map(({ text }) => text))
    const distinct = (texts: readonly string[]) => [...new Set(texts)].sort()
    shown.forEach(({ asked: { params, query, body }, text }, index) => {
      const { calls } = pasted[index]!
      assert.deepEqual(distinct(calls.flatMap(textsOf)), distinct(textsIn({ params, query, body })), text)
    })
    const proven = new Set(shown.map(({ asked }) => asked.operation))
    assert.ok(proven.size > 100, `only ${[...proven].join(' ')}`)
  })
})
