/** What the server says about inputs has a form in German: all that the common checks and parsers can say. */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Forms, translator } from '../../console/lib/messages.ts'
import { messages } from '../../console/words/de/messages.ts'
import { named } from '../../console/words/de/named.ts'
import { named as commonEnglish } from '../../console/words/en/named.ts'
import type { Messages } from '../../console/words/slice.ts'
import { type GivenRule, parseRules } from '../../src/families/firewalls/domain.ts'
import { bodyCheck } from '../../src/kernel/contract/input.ts'
import { labelKeyProblem, labelValueProblem, parseLabels } from '../../src/kernel/contract/labels.ts'
import { parseSelector } from '../../src/kernel/contract/selectors.ts'
import { ApiError } from '../../src/kernel/errors.ts'
import { allEndpoints, ownEndpoints } from '../../src/pages/openapi.ts'
import { parseAddress, parseCidr } from '../../src/protocols/net/ip.ts'
import { bent, strange } from '../clients/kit/bent.ts'
import { accepted } from '../clients/kit/bodies.ts'
import { readSources } from '../laws/source.ts'

const slices = new URL('../../console/families/', import.meta.url).pathname
const messagesIn = async (language: string): Promise<readonly Messages[]> => {
  const modules = await Promise.all(
    globSync(`*/messages.${language}.ts`, { cwd: slices }).map((file) => import(slices + file)),
  )
  return modules.map(({ messages }) => messages)
}
const [english, german] = await Promise.all(['en', 'de'].map(messagesIn))
const allMessages: Forms = Object.assign({}, ...german!.map((one) => one.messages), messages)
const namedIn = (common: Forms, ofSlices: readonly Messages[]): Forms =>
  Object.assign({}, ...ofSlices.map((one) => one.named), common)
const formOf = translator(allMessages)

const withoutQuoted = (text: string) => text.replace(/"(?:[^"\\]|\\.)*"/g, '')

/** What was said, without what callers sent, so that each message is seen once. */
class Said {
  readonly #kinds = new Set<string>()

  hear(message: string | undefined): void {
    if (message === undefined) return
    const form = formOf(message)
    assert.ok(form, `no German form of: ${message}`)
    assert.doesNotMatch(withoutQuoted(form), /\{[1-9+]\}|undefined/, message)
    this.#kinds.add(withoutQuoted(message).replace(/\d+/g, ''))
  }

  get count(): number {
    return this.#kinds.size
  }
}

function fieldsOf(check: (body: unknown) => void, body: unknown): readonly string[] {
  try {
    check(body)
    return []
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    const fields = cause.details?.fields as readonly { readonly messages: readonly string[] }[]
    return fields.flatMap(({ messages }) => messages)
  }
}

/** What errors of requests say with a name or a number in it, with samples in these places. */
function namingMessages(): readonly { readonly text: string; readonly samples: readonly string[] }[] {
  const said = readSources().flatMap(({ path, text }) =>
    /^(families|management|people|kernel\/(resource|access|actions|errors))\b/.test(path) && !path.endsWith('/proof.ts')
      ? [...text.matchAll(/(?:new ApiError|notUnique|limitExceeded)\(\s*(?:'\w+'|`[^`]*`|[\w.]+),\s*`([^`]*)`/g)].map(
          ([, template = '']) => template,
        )
      : [],
  )
  return [...new Set(said)].map((template) => {
    const samples: string[] = []
    const text = template.replace(/\$\{[^}]*\}/g, () => {
      samples.push(`x${samples.length + 1}.example`)
      return samples.at(-1)!
    })
    return { text, samples }
  })
}

/** Those that are no words of a page, or have others: codes of sessions, tokens and passwords. */
const elsewhere = /^(the password x1|a session may have)/

describe('what is in the way', () => {
  for (const [language, forms] of Object.entries({
    English: namedIn(commonEnglish, english!),
    German: { ...namedIn(named, german!), ...allMessages },
  })) {
    it(`is named by errors in ${language}`, () => {
      const inWords = translator(forms)
      const all = namingMessages().filter(({ text }) => !elsewhere.test(text))
      assert.ok(all.length > 30, `only ${all.length} messages`)
      const silent = all.filter(({ text, samples }) => !samples.every((sample) => inWords(text)?.includes(sample)))
      assert.deepEqual(
        silent.map(({ text }) => text),
        [],
      )
    })
  }
})

describe('German forms of messages', () => {
  it('are there for all that schemas of requests refuse', () => {
    const said = new Said()
    for (const { endpoint } of [...allEndpoints(), ...ownEndpoints()]) {
      if (!endpoint.body) continue
      const check = bodyCheck(endpoint.body, 'wolke')
      const plain = JSON.parse(JSON.stringify(endpoint.body))
      fc.assert(
        fc.property(accepted(plain, '', {}), fc.nat(999), strange, (good, at, other) => {
          for (const message of fieldsOf(check, bent(good, at, other))) said.hear(message)
        }),
        { numRuns: 40 },
      )
    }
    assert.ok(said.count > 12, `only ${said.count} kinds`)
  })

  it('are there for all that is wrong with rules of firewalls', () => {
    const said = new Said()
    const network = fc.oneof(
      fc.constantFrom('10.0.0.0/8', '10.0.0.1/8', '10.0.0.0', '10.0.0.0/40', 'x/8', 'x'.repeat(70), '::1/0', '1/2/3'),
      fc.string(),
    )
    const rule = fc.record({
      direction: fc.constantFrom('in', 'out'),
      protocol: fc.constantFrom('tcp', 'udp', 'icmp', 'esp', 'gre'),
      port: fc.option(fc.constantFrom('22', 'any', '0', '9-1', '')),
      source_ips: fc.oneof(fc.array(network, { maxLength: 3 }), fc.constant(Array<string>(501).fill('10.0.0.0/8'))),
      destination_ips: fc.array(network, { maxLength: 3 }),
    }) as fc.Arbitrary<GivenRule>
    fc.assert(
      fc.property(rule, (one) => {
        const result = parseRules([one])
        if (!result.ok) for (const { message } of result.problems) said.hear(message)
      }),
      { numRuns: 1_000 },
    )
    assert.ok(said.count >= 11, `only ${said.count} kinds`)
  })

  it('are there for addresses and networks', () => {
    const said = new Said()
    const part = fc.constantFrom('10', '.', '0', '/', ':', '::', 'f', '300', '8', '129', '"', '\\', ' ', 'ä')
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join('')),
        (text) => {
          const [network, address] = [parseCidr(text), parseAddress(text)]
          said.hear(network.ok ? undefined : network.message)
          said.hear(address.ok ? undefined : address.message)
        },
      ),
      { numRuns: 2_000 },
    )
    said.hear((parseCidr('1'.repeat(65)) as { message: string }).message)
    assert.ok(said.count >= 5, `only ${said.count} kinds`)
  })

  it('are there for labels and for selectors', () => {
    const said = new Said()
    const part = fc.constantFrom(
      'a',
      'env',
      '=',
      '!=',
      '==',
      '!',
      ',',
      '(',
      ')',
      ' in ',
      ' notin ',
      '/',
      '-',
      '"',
      'ä',
      ' of ',
    )
    const long = fc.constantFrom(
      'a'.repeat(64),
      `${'a'.repeat(254)}/b`,
      `a.b/${'c'.repeat(64)}`,
      '-./b',
      'a/',
      'wolke.cloud/a',
    )
    const text = fc.oneof(
      fc.array(part).map((parts) => parts.join('')),
      long,
    )
    const value = fc.oneof(text, fc.constantFrom(1, null, true, [], {}))
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`l${index}`, '']))
    const labels = fc.oneof(fc.dictionary(text, value), fc.constantFrom<unknown>(null, [], 'x', many))
    const lists = ['a,'.repeat(17), `a in (${'b,'.repeat(33)})`, 'a'.repeat(1_025)]
    fc.assert(
      fc.property(text, labels, fc.oneof(text, fc.constantFrom(...lists)), (one, some, selector) => {
        said.hear(labelKeyProblem(one))
        said.hear(labelValueProblem(one))
        const [read, parsed] = [parseLabels(some, { vendor: 'Wolke' }), parseSelector(selector)]
        if (!read.ok) for (const { message } of read.problems) said.hear(message)
        said.hear(parsed.ok ? undefined : parsed.message)
      }),
      { numRuns: 4_000 },
    )
    assert.ok(said.count >= 25, `only ${said.count} kinds`)
  })

  it('keep what callers sent, and where it is', () => {
    assert.equal(
      formOf('label value "a of key b must" of key "c" must not be empty'),
      'der Wert "a of key b must" des Labels "c" darf nicht leer sein',
    )
    assert.equal(formOf('[2].value is required'), '[2].value fehlt')
    assert.equal(formOf('server type not found'), 'Servertyp nicht gefunden')
    assert.equal(formOf('"server" is not an ip address'), '"server" ist keine IP-Adresse')
    assert.equal(formOf('this was never said'), undefined)
  })
})
