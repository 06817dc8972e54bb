/** Modules of the server that the console runs in browsers: they need nothing of Node, and they are small. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { previewImport } from '../../src/families/zones/zonefiles/preview.ts'
import { parseRdata, recordTypeNames } from '../../src/protocols/net/dns/rdata.ts'
import { browserModules } from '../laws/safety/console.ts'
import { answersAsNode, bundled } from './questions.ts'

/** What a module exports in a place that has what browsers have, and nothing of Node. */
async function inBrowser(source: string) {
  const place = createContext({ URL, TextEncoder, TextDecoder, atob, btoa })
  runInContext(`${await bundled(source)}\nglobalThis.made = made`, place)
  return (place as { made: Record<string, (...args: unknown[]) => unknown> }).made
}

describe('modules for browsers', () => {
  for (const [path, most] of Object.entries(browserModules)) {
    it(`${path} needs nothing of Node`, async () => {
      const source = `export * from './${path}'`
      assert.ok(Object.keys(await inBrowser(source)).length > 0)
      const bytes = gzipSync(await bundled(source)).length
      assert.ok(bytes <= most, `${path} has ${bytes} bytes compressed, and may have ${most}`)
    })
  }
})

const parsers = `
import { provideBytes } from './console/lib/bytes.ts'
import { nameOf } from './src/protocols/net/dns/names.ts'
import { parseRdata } from './src/protocols/net/dns/rdata.ts'
import { previewImport } from './src/families/zones/zonefiles/preview.ts'
provideBytes()
const hex = (bytes) => bytes && Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
export const rdata = (type, text) => {
  const read = parseRdata(type, text, nameOf('example.com'))
  return JSON.stringify({ ...read, bytes: hex(read.bytes) })
}
export const preview = (zone, text) => JSON.stringify(previewImport(JSON.parse(zone), text))
`

describe('the rules of the server in browsers', () => {
  it('answer as in Node', async () => {
    const { answer } = await inBrowser("export { answer } from './test/browser/rules.ts'")
    await answersAsNode((questions) => questions.map((one) => answer!(one) as string))
  })
})

describe('the parsers of DNS in browsers', () => {
  const values = [
    '192.0.2.1',
    '2001:db8::1',
    '10 mail',
    '"v=spf1 \\195\\164 -all" "more"',
    '0 issue "letsencrypt.org"',
    '1 . alpn=h2,h3 ipv4hint=192.0.2.1 ech=AAAA port=8443 key99=x',
    '0 0 443 www',
    '60485 8 1 2BB183AF5F22588179A53B0A98631FAD1A292118',
    '3 1 1 0C72AC70B745AC19998811B131D662C9AC69DBDBE7CB23E5B514B56664C5D3D6',
    'ns1 hostmaster 1 2 3 4 5',
    '"pc" "linux"',
    'a\\.b txt',
    '\\# 2 abcd',
    'ä "ü" \\300',
  ]

  it('read values as in Node', async () => {
    const { rdata } = await inBrowser(parsers)
    const { nameOf } = await import('../../src/protocols/net/dns/names.ts')
    const value = fc.oneof(fc.constantFrom(...values), fc.string({ unit: 'grapheme', maxLength: 20 }))
    fc.assert(
      fc.property(fc.constantFrom(...recordTypeNames), value, (type, text) => {
        const read = parseRdata(type, text, nameOf('example.com'))
        const expected = read.ok ? { ...read, bytes: read.bytes.toString('hex') } : read
        assert.deepEqual(JSON.parse(rdata!(type, text) as string), expected)
      }),
      { numRuns: 3_000 },
    )
  })

  it('preview an import as in Node', async () => {
    const { preview } = await inBrowser(parsers)
    const zone = {
      name: 'example.com',
      ttl: 3600,
      nameservers: ['ns1.wolke.example.'],
      rrsets: [{ name: 'www', type: 'A' as const, ttl: null, records: [{ value: '192.0.2.1', comment: '' }] }],
    }
    const apex = '@ SOA ns1.wolke.example. me 0 86400 10800 3600000 3600\n@ NS ns1.wolke.example.\n'
    for (const text of ['www A 192.0.2.2', 'www A x', '@ MX 10 mail ; ä\n@ TXT "ü"', '']) {
      const expected = JSON.parse(JSON.stringify(previewImport(zone, apex + text)))
      assert.deepEqual(JSON.parse(preview!(JSON.stringify(zone), apex + text) as string), expected)
    }
  })
})
