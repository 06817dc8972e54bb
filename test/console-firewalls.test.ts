/** The editor of firewall rules: what it says and sends, against what the server says. */
import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import {
  bodyOf,
  type Content,
  changesOf,
  contentOf,
  type Draft,
  draftsOf,
  judge,
  newDraft,
  readNetwork,
  readNetworks,
  rebased,
} from '../console/pages/firewalls/draft.ts'
import { readPasted } from '../console/pages/firewalls/paste.ts'
import type { Rule } from '../console/pages/firewalls/rule.ts'
import { warningsOf } from '../console/pages/firewalls/warnings.ts'
import { forEachDatabase } from './harness.ts'

const ssh: Rule = {
  direction: 'in',
  protocol: 'tcp',
  port: '22',
  source_ips: ['10.0.0.0/16'],
  destination_ips: [],
  description: 'SSH',
}
const https: Rule = { ...ssh, port: '443', source_ips: ['0.0.0.0/0', '::/0'], description: null }
const out: Rule = { ...ssh, direction: 'out', source_ips: [], destination_ips: ['0.0.0.0/0'] }

/** The drafts of some rules, one of them changed. */
function edited(rules: readonly Rule[], index: number, part: Partial<Draft>): readonly Draft[] {
  return draftsOf(rules).map((draft, at) => (at === index ? { ...draft, ...part } : draft))
}

describe('changes of rules', () => {
  const kinds = (rules: readonly Rule[], drafts: readonly Draft[]) =>
    changesOf(rules, drafts).map(({ kind, order }) => order ?? kind)

  it('are none for what is in force', () => assert.deepEqual(kinds([ssh, https, out], draftsOf([ssh, https, out])), []))

  it('are named by what was done', () => {
    const rules = [ssh, https]
    assert.deepEqual(kinds(rules, edited(rules, 0, { port: '2222' })), ['mod'])
    assert.deepEqual(kinds(rules, edited(rules, 0, { isRemoved: true })), ['del'])
    assert.deepEqual(kinds(rules, [...draftsOf(rules), newDraft({ direction: 'in' })]), ['add'])
    assert.deepEqual(kinds(rules, draftsOf(rules).toReversed()), ['in'])
  })

  it('stay on top of what came from elsewhere', () => {
    const mine = edited([ssh, https], 0, { networks: ['192.0.2.0/24'] })
    const theirs = [out, https, ssh]
    const drafts = rebased(mine, theirs)
    assert.deepEqual(bodyOf(drafts), bodyOf(mine))
    assert.deepEqual(kinds(theirs, drafts).toSorted(), ['del', 'in', 'mod'])
  })
})

describe('warnings', () => {
  const kindsOf = (rules: readonly Rule[], drafts: readonly Draft[]) =>
    warningsOf(rules.map(contentOf), drafts, changesOf(rules, drafts)).map(({ kind }) => kind)

  it('name ports that open to everybody', () => {
    assert.deepEqual(kindsOf([ssh], edited([ssh], 0, { networks: ['::/0'] })), ['opens'])
    assert.deepEqual(kindsOf([ssh], edited([ssh], 0, { networks: ['192.0.2.0/24'] })), [])
    assert.deepEqual(kindsOf([ssh], [...draftsOf([ssh]), newDraft(contentOf(https))]), [])
  })

  it('tell when SSH closes, and when outbound traffic begins to be limited', () => {
    assert.deepEqual(kindsOf([ssh], edited([ssh], 0, { isRemoved: true })), ['closesSsh'])
    assert.deepEqual(kindsOf([ssh], [...draftsOf([ssh]), newDraft(contentOf(out))]), ['limitsOut'])
  })
})

describe('what is pasted', () => {
  const rulesOf = (text: string): readonly Content[] => {
    const pasted = readPasted(text)
    assert.equal(pasted.kind, 'rules')
    return pasted.kind === 'rules' ? pasted.rules : []
  }

  it('is read as JSON of the API, of a whole firewall and of one rule', () => {
    const expected = [contentOf(ssh), contentOf(out)]
    assert.deepEqual(rulesOf(JSON.stringify([ssh, out])), expected)
    assert.deepEqual(rulesOf(JSON.stringify({ firewall: { name: 'web', rules: [ssh, out] } })), expected)
    assert.deepEqual(rulesOf(JSON.stringify(ssh)), [contentOf(ssh)])
  })

  it('is read as blocks of Terraform', () => {
    const text = `resource "hcloud_firewall" "web" {
      rule {
        direction   = "in"
        protocol    = "tcp"
        port        = "22"
        source_ips  = ["10.0.0.0/16"]
        description = "SSH"
      }
    }`
    assert.deepEqual(rulesOf(text), [contentOf(ssh)])
  })

  it('is read as networks, however they are separated', () => {
    const pasted = readPasted('10.0.0.0/8, 192.0.2.7;\n2001:DB8::/32 internet')
    assert.deepEqual(pasted, {
      kind: 'networks',
      networks: ['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32', '0.0.0.0/0', '::/0'],
    })
    assert.deepEqual(readNetworks('["10.0.0.0/8"]'), ['10.0.0.0/8'])
    assert.equal(readNetwork('2001:db8::1'), '2001:db8::1/128')
  })

  it('may be nothing, and never throws', () => {
    for (const text of ['', 'hello', '{}', '[1]', 'rule {}x']) assert.notEqual(readPasted(text).kind, undefined)
    fc.assert(fc.property(fc.string(), (text) => readPasted(text).kind.length > 0))
  })
})

const network = fc.constantFrom('0.0.0.0/0', '::/0', '10.0.0.0/8', '10.0.0.1/8', '2001:db8::/32', 'nonsense', '1.2.3.4')
const content: fc.Arbitrary<Content> = fc.record({
  direction: fc.constantFrom('in', 'out'),
  protocol: fc.constantFrom('tcp', 'udp', 'icmp', 'esp'),
  port: fc.constantFrom('', '22', '80-443', 'any', '0', '9-1', '99999'),
  networks: fc.uniqueArray(network, { maxLength: 3 }),
  description: fc.constantFrom('', 'a rule'),
})

forEachDatabase('the editor of rules', (open) => {
  test('is satisfied exactly when the server is, and sends what it shows', async () => {
    const { api } = await open({ runActions: false })
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(content, { maxLength: 4 }), async (contents) => {
        const drafts = contents.map((one) => newDraft(one))
        const { isFine } = judge(drafts)
        count += 1
        const reply = await api.post('/firewalls', { name: `wall-${count}`, rules: bodyOf(drafts) })
        assert.equal(reply.status, isFine ? 201 : 422, reply.text)
        if (!isFine) return
        const rules = reply.body.firewall.rules as Rule[]
        assert.deepEqual(bodyOf(draftsOf(rules)), bodyOf(drafts))
        assert.deepEqual(changesOf(rules, draftsOf(rules)), [])
      }),
      { numRuns: 60 },
    )
  })
})
