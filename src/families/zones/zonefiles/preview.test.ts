import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { forProjects } from '../../../../test/kit/harness.ts'
import { done } from '../../../../test/kit/proof.ts'
import { type RrsetContent, rrsetKey } from '../rrsets/domain.ts'
import { type PresentZone, previewImport } from './preview.ts'

const soa = '@ SOA ns1.wolke.example. hostmaster.wolke.example. 0 86400 10800 3600000 3600'
const ns = [1, 2, 3].map((number) => `@ NS ns${number}.wolke.example.`)
const foreign = [
  '@ SOA ns1.elsewhere.example. me.elsewhere.example. 7 86400 10800 3600000 3600',
  '@ NS ns1.elsewhere.example.',
]

const owner = fc.constantFrom('@', 'www', 'mail', 'a.b')
const ttl = fc.constantFrom('', '300 ', '3600 ')
const comment = fc.constantFrom('', ' ; one', ' ; two; three')
const data = fc.constantFrom(
  'A 192.0.2.1',
  'A 192.0.2.2',
  'AAAA 2001:DB8::1',
  'AAAA 2001:db8:0::1',
  'MX 10 mail',
  'MX 10 mail.example.com.',
  'TXT "v=spf1 -all"',
  'TXT v=spf1',
  'CNAME other',
  'A nonsense',
)
const line = fc.tuple(owner, ttl, data, comment).map((parts) => `${parts[0]} ${parts.slice(1).join('')}`)
const head = fc.constantFrom('', '$TTL 600\n', '$TTL 3600\n')
const apexLines = fc.oneof(
  { weight: 6, arbitrary: fc.constant([soa, ...ns]) },
  { weight: 2, arbitrary: fc.constant(foreign) },
  { weight: 1, arbitrary: fc.constantFrom([soa], ns, [soa, ns[0]!], []) },
)
const file = fc
  .tuple(head, apexLines, fc.uniqueArray(line, { maxLength: 5 }))
  .map(([start, apex, lines]) => `${start}${[...apex, ...lines].join('\n')}\n`)

forProjects('previewImport', (open) => {
  test('foretells what an import does, or why it is refused', async () => {
    const { api } = await open()
    await done(api.post('/zones', { name: 'example.com', mode: 'primary' }))
    const present = async (): Promise<PresentZone> => {
      const { zone } = await done(api.get('/zones/example.com'))
      const { rrsets } = await done(api.get('/zones/example.com/rrsets?per_page=100'))
      return { name: zone.name, ttl: zone.ttl, nameservers: zone.authoritative_nameservers.assigned, rrsets }
    }
    const shown = ({ rrsets }: { rrsets: readonly RrsetContent[] }) =>
      new Map(
        rrsets.map(({ name, type, ttl, records }) => [
          `${name}/${type}`,
          { ttl, records: type === 'SOA' ? [] : records.map(({ value, comment }) => `${value} ; ${comment}`).sort() },
        ]),
      )
    let taken = 0
    await fc.assert(
      fc.asyncProperty(file, async (zonefile) => {
        const before = await present()
        const preview = previewImport(before, zonefile)
        const answer = await api.post('/zones/example.com/actions/import_zonefile', { zonefile })
        if (!preview.ok) {
          const message = preview.line === undefined ? preview.message : `line ${preview.line} ${preview.message}`
          return assert.equal(answer.body.error?.details.fields[0].messages[0], message, answer.text)
        }
        taken++
        assert.equal(answer.status, 201, `${zonefile}\n${answer.text}`)
        assert.equal(preview.replaced.length, answer.body.replaced?.length ?? 0)
        const gone = new Set([...preview.removed, ...preview.changed.map(({ before }) => before)].map(rrsetKey))
        const come = [...preview.added, ...preview.changed.map(({ after }) => after)]
        const kept = before.rrsets.filter((rrset) => !gone.has(rrsetKey(rrset)))
        const after = await present()
        assert.equal(after.ttl, preview.ttl.after)
        assert.equal(kept.length, preview.unchanged)
        const [expected, found] = [shown({ rrsets: [...kept, ...come] }), shown(after)]
        assert.deepEqual([...found.keys()].sort(), [...expected.keys()].sort())
        for (const rrset of come) assert.deepEqual(found.get(rrsetKey(rrset)), expected.get(rrsetKey(rrset)), zonefile)
        const again = previewImport(after, zonefile)
        assert.ok(again.ok && again.added.length + again.removed.length + again.changed.length === 0)
      }),
      { numRuns: 60 },
    )
    assert.ok(taken > 5, 'nothing was imported')
  })
})
