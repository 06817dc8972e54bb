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
  followed,
  judge,
  newDraft,
  readNetwork,
  readNetworks,
  rebased,
  rulesOf,
} from '../../console/families/firewalls/draft.ts'
import { readPasted } from '../../console/families/firewalls/paste.ts'
import type { Rule } from '../../console/families/firewalls/rule.ts'
import { warningsOf } from '../../console/families/firewalls/warnings.ts'
import { forDatabasesInTurn } from '../kit/harness.ts'

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

  it('that were made while others were applied are on top of those', () => {
    const sent = edited([ssh, https, out], 1, { isRemoved: true })
    const more = [...sent, newDraft({ direction: 'in', port: '80', networks: ['0.0.0.0/0'] })]
    const inForce = rulesOf(sent)
    assert.deepEqual(inForce, [ssh, out])
    assert.deepEqual(kinds(inForce, followed(sent, sent)), [])
    assert.deepEqual(kinds(inForce, followed(more, sent)), ['add'])
    const changed = more.map((draft, at) => (at === 0 ? { ...draft, port: '2222' } : draft))
    assert.deepEqual(kinds(inForce, followed(changed, sent)), ['mod', 'add'])
    // What was taken off and put back again is new; what was new and then taken off is to be removed.
    const restored = sent.map((draft) => ({ ...draft, isRemoved: false }))
    assert.deepEqual(kinds(inForce, followed(restored, sent)), ['add'])
    assert.deepEqual(kinds(rulesOf(more), followed(sent, more)), ['del'])
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

  const opened = (rules: readonly Rule[], ...more: readonly (Partial<Content> & { networks: readonly string[] })[]) => {
    const drafts = [...draftsOf(rules), ...more.map((one) => newDraft({ ...contentOf(ssh), ...one }))]
    return warningsOf(rules.map(contentOf), drafts, changesOf(rules, drafts)).flatMap((one) =>
      one.kind === 'opens' ? [`${one.exposure} ${one.draft.port}`] : [],
    )
  }

  it('name ports that open to everybody in pieces, in one rule or several', () => {
    assert.deepEqual(opened([], { networks: ['0.0.0.0/1', '128.0.0.0/1'] }), ['all 22'])
    assert.deepEqual(opened([], { networks: ['0.0.0.0/1'] }, { networks: ['128.0.0.0/1'] }), ['all 22'])
    assert.deepEqual(opened([], { networks: ['::/1', '8000::/1'] }), ['all 22'])
    assert.deepEqual(opened([], { networks: ['2000::/3'] }), ['all 22'])
    const half: Rule = { ...ssh, source_ips: ['0.0.0.0/1'] }
    assert.deepEqual(opened([half], { port: '20-30', networks: ['128.0.0.0/1'] }), ['all 20-30'])
    assert.deepEqual(opened([half], { port: '23-30', networks: ['1.0.0.0/16'] }), [])
    const pieces = Array.from({ length: 256 }, (_, index) => `${index}.0.0.0/8`)
    const some = (from: number) => ({ networks: pieces.slice(from, from + 64) })
    assert.deepEqual(opened([], some(0), some(64), some(128), some(192)), ['all 22'])
  })

  it('name ports that open to very many', () => {
    assert.deepEqual(opened([], { networks: ['93.0.0.0/8'] }), ['wide 22'])
    assert.deepEqual(opened([], { networks: ['93.0.0.0/9', '95.0.0.0/9'] }), ['wide 22'])
    assert.deepEqual(opened([], { networks: ['2a00::/16'] }), ['wide 22'])
    assert.deepEqual(opened([], { protocol: 'esp', port: '', networks: ['93.0.0.0/8'] }), ['wide '])
    const few = ['93.0.0.0/9', '10.0.0.0/8', '192.168.0.0/16', 'fc00::/7', '2a00::/17', 'nonsense']
    assert.deepEqual(opened([], { networks: few }), [])
    assert.deepEqual(opened([], { port: '443', networks: ['93.0.0.0/8'] }), [])
  })

  it('name what opens further, and not what is open already or changes beside it', () => {
    const open: Rule = { ...ssh, source_ips: ['93.0.0.0/8'] }
    assert.deepEqual(opened([open], { networks: ['93.1.0.0/16'] }), [])
    assert.deepEqual(opened([open], { networks: ['0.0.0.0/0'] }), ['all 22'])
    const office: Rule = { ...ssh, source_ips: ['93.1.2.3/32'] }
    const drafts = [
      ...edited([office], 0, { description: 'office' }),
      newDraft({ ...contentOf(ssh), networks: ['::/0'] }),
    ]
    assert.deepEqual(kindsOf([office], drafts), ['opens'])
  })

  it('tell of a rule that is there twice', () => {
    const twice = (drafts: readonly Draft[]) =>
      warningsOf([contentOf(https)], drafts, changesOf([https], drafts)).flatMap((one) =>
        one.kind === 'twice' ? [[one.direction, one.place, one.first]] : [],
      )
    const again = newDraft({ ...contentOf(https), networks: ['::/0', '0.0.0.0/0'], description: 'again' })
    assert.deepEqual(twice([...draftsOf([https]), again]), [['in', 2, 1]])
    assert.deepEqual(twice([...draftsOf([https]).map((one) => ({ ...one, isRemoved: true })), again]), [])
    assert.deepEqual(twice([...draftsOf([https]), newDraft(contentOf({ ...https, port: '80' }))]), [])
    const empty = () => newDraft({ direction: 'out' })
    assert.deepEqual(twice([...draftsOf([https]), empty(), empty()]), [])
    // What was applied twice has been seen.
    assert.deepEqual(warningsOf([https, https].map(contentOf), draftsOf([https, https]), []), [])
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

  const head = 'direction = "in"\n protocol = "tcp"'
  const misread = (text: string) => {
    const pasted = readPasted(text)
    assert.equal(pasted.kind, 'rules', text)
    return pasted.kind === 'rules' ? pasted.misread : []
  }

  it('leaves out what is in comments, and nothing else', () => {
    const text = `
      # rule { direction = "in" }
      // rule { direction = "in" }
      /* rule {
        direction = "in"
      } */
      rule { # as } says
        ${head} /* } */
        port = "22" // the usual one
        source_ips = [
          "10.0.0.0/16", # the office
          # "0.0.0.0/0",
        ]
        description = "not a # comment, no // either, } and \\"quoted\\""
      }`
    assert.deepEqual(rulesOf(text), [
      { ...contentOf(ssh), description: 'not a # comment, no // either, } and "quoted"' },
    ])
    assert.deepEqual(misread(text), [])
    assert.deepEqual(readPasted('10.0.0.0/8 # the office\n// 0.0.0.0/0\n192.0.2.7'), {
      kind: 'networks',
      networks: ['10.0.0.0/8', '192.0.2.7/32'],
    })
  })

  it('keeps what has to be computed, for the editor to refuse it', () => {
    const rules = rulesOf(`
      rule {
        ${head}
        port       = var.ports["ssh"]
        source_ips = ["\${var.office["main"]}/32", "10.0.0.0/8", for one in var.all : "\${one}/32"]
      }
      rule {
        ${head}
        port       = var.a == 1 ? "1" : "2"
        source_ips = concat(var.a, ["10.0.0.0/8"])
      }`)
    assert.deepEqual(
      rules.map(({ port, networks }) => ({ port, networks })),
      [
        {
          port: 'var.ports["ssh"]',
          networks: [`$${'{var.office["main"]}'}/32`, '10.0.0.0/8', `for one in var.all : "$${'{one}'}/32"`],
        },
        { port: 'var.a == 1 ? "1" : "2"', networks: ['concat(var.a, ["10.0.0.0/8"])'] },
      ],
    )
    assert.ok(!judge(rules.map((one) => newDraft(one))).isFine)
  })

  it('tells which rules it does not understand, and takes the others', () => {
    const text = `
      rule {
        direction = "in"
        protocol  = "all"
        port      = "1-65535"
      }
      rule {
        direction = "inbound"
        protocol  = "tcp"
      }
      rule {
        direction = "in"
        protocol  = "TCP"
      }
      rule { protocol = "tcp" }
      rule {}
      rule {
        ${head}
        destination_ips = ["10.0.0.0/8"]
      }
      rule {
        ${head}
        port = 22
        source_ips = ["10.0.0.0/16"]
        description = "SSH"
      }`
    assert.deepEqual(rulesOf(text), [contentOf(ssh)])
    assert.deepEqual(
      misread(text).map(({ place, what, says }) => [place, what, says]),
      [
        [1, 'protocol', 'all'],
        [2, 'direction', 'inbound'],
        [3, 'protocol', 'TCP'],
        [4, 'direction', ''],
        [5, 'direction', ''],
        [6, 'side', '10.0.0.0/8'],
      ],
    )
    assert.deepEqual(misread(JSON.stringify([{ ...ssh, protocol: 'any' }])), [
      { place: 1, what: 'protocol', says: 'any' },
    ])
    assert.equal(readPasted('[{"name": "10.0.0.0/8",}]').kind, 'nothing')
  })

  it('is read as Terraform prints it', () => {
    const shown = `
      # hcloud_firewall.web:
      resource "hcloud_firewall" "web" {
          id     = "7"
          labels = {}
          rule {
              description     = "SSH"
              destination_ips = []
              direction       = "in"
              port            = "22"
              protocol        = "tcp"
              source_ips      = [
                  "10.0.0.0/16",
              ]
          }
      }`
    const planned = `
        # hcloud_firewall.web will be updated in-place
        ~ resource "hcloud_firewall" "web" {
              id = "7"
            - rule {
                - description = "old" -> null
                - direction   = "in" -> null
              }
            + rule {
                + description = "SSH"
                + direction   = "in"
                + port        = "22"
                + protocol    = "tcp"
                + source_ips  = [
                    + "10.0.0.0/16",
                    - "0.0.0.0/0",
                  ]
              }
          }
        Plan: 0 to add, 1 to change, 0 to destroy.`
    const state = { values: { root_module: { resources: [{ type: 'hcloud_firewall', values: { rule: [ssh] } }] } } }
    const locals =
      'rules = [{ direction : "in", protocol = "tcp", port = 22, source_ips = ["10.0.0.0/16"], description = "SSH" }]'
    for (const text of [shown, planned, JSON.stringify(state), locals])
      assert.deepEqual(rulesOf(text), [contentOf(ssh)], text)
  })

  it('is read as the API and hcloud give firewalls, alone and in lists', () => {
    const firewall = {
      id: 7,
      name: 'web',
      labels: {},
      rules: [ssh, out],
      applied_to: [{ type: 'server', server: { id: 1 } }],
    }
    const given = [firewall, [firewall], { firewall }, { firewalls: [firewall], meta: { pagination: { page: 1 } } }]
    for (const value of given)
      assert.deepEqual(rulesOf(JSON.stringify(value, null, 2)), [contentOf(ssh), contentOf(out)])
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
    const part = fc.constantFrom(
      'rule',
      ' ',
      '{',
      '}',
      '[',
      ']',
      '(',
      '"',
      '${',
      '\\',
      '#',
      '/*',
      '\n',
      '=',
      '-',
      '<<A',
      'a',
      ',',
    )
    fc.assert(fc.property(fc.array(part), (parts) => readPasted(parts.join('')).kind.length > 0))
    for (const one of ['[', '{', 'a {', 'a = [', '(', '"${']) assert.ok(readPasted(one.repeat(20_000)).kind)
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

forDatabasesInTurn('the editor of rules', (open) => {
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
