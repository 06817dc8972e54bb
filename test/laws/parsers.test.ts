/** Whatever parses what tenants and strangers send is measured by `npm run bench`: no parser is missing from its table. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsers } from '../../bench/parser-table.ts'
import { readSources, type Source, toSource } from './source.ts'

/** Where what is sent is read, to the doors of Storage Boxes as well: what operators and the infrastructure say is trusted. */
const places =
  /^(protocols\/(net|rfb)|dns|drivers\/storage\/doors\/(sftp|ssh\/commands|webdav)|events|families|management|metadata|people|kernel\/(access|audit|contract|http|mail|ids\.ts))/
/** What is called like a parser. All that `net` offers for texts and bytes is one. */
const called =
  /^(parse|read|is|print|quote|unescaped|lower|common)|^(has|matching|hashRecovery)[A-Z]|(Problem|Path|Blocks|Bytes|At|Key|Names|Address|Of)$/
/** An exported function whose first parameter is a text, bytes, what is made of them, or unknown. */
const exported =
  /^export (?:async )?(?:function\*? (\w+)\(|const (\w+)\b[^\n]*? = \()\s*(?:\w+\??|\{[^}]*\}): (?:readonly )?(?:string|Buffer|Uint8Array|unknown|Token|IncomingHttpHeaders|PemBlock|Values|ZoneContent)\b/gm

/** What is called like a parser and needs no place in the table, by the reason. */
const others: Readonly<Record<string, readonly string[]>> = {
  'it is given what a parser has taken before': [
    'drivers/storage/doors/webdav/request.ts hrefOf',
    'drivers/storage/doors/webdav/request.ts parentOf',
    'drivers/storage/doors/webdav/unfinished.ts isUnfinished',
    'families/load-balancers/targets/domain.ts isPrivateAddress',
    'families/networks/domain.ts holdsAddress',
    'families/networks/members/domain.ts macOf',
    'families/zones/rrsets/domain.ts valueKey',
    'kernel/contract/references.ts valuesAt',
    'protocols/net/address-bytes.ts textOfAddress',
    'protocols/net/dns/addresses.ts addressBytes',
    'protocols/net/dns/names.ts nameOf',
    'protocols/net/ip.ts addressAt',
    'protocols/net/ip.ts subnetAt',
    'protocols/net/private-networks.ts isPrivateAddress',
    'people/sessions/cookies.ts isSecurePlace',
    'people/credentials/passkeys.ts rpIdAt',
  ],
  'all that it does is done by one of the table': [
    'families/zones/content/work.ts parseZonefile',
    'kernel/http/api/body.ts readBody',
    'protocols/net/dns/rdata.ts readRdata',
    'kernel/secrets/password-hash.ts isPassword',
  ],
  'it cuts a text at one place': [
    'kernel/access/token-text.ts tailOf',
    'kernel/contract/urls.ts originOf',
    'kernel/contract/urls.ts pathOf',
    'kernel/contract/urls.ts reachedAt',
    'kernel/contract/bases.ts storageUrlOf',
    'kernel/contract/urls.ts searchOf',
    'kernel/http/admission/calendar.ts nothingAt',
  ],
  'it reads what was written here': [
    'drivers/storage/doors/sftp/kernel.ts freeAt',
    'drivers/storage/doors/webdav/request.ts refusalOf',
    'families/certificates/store.ts issuedColumns',
    'families/storage-boxes/snapshots/domain.ts nameOf',
    'kernel/contract/as-of.ts asOf',
    'kernel/contract/path-params.ts isIdParam',
    'kernel/contract/path-params.ts titleOf',
    'kernel/http/api/compress.ts isCompressible',
    'protocols/net/crypt.ts isHashOf',
    'protocols/net/x509-issuing.ts isOnlyFor',
    'kernel/secrets/password-hash.ts isOutdated',
  ],
  'it reads what operators say': [
    'kernel/mail/smtp.ts parseSmtpUrl',
    'protocols/net/decimal.ts isLess',
    'protocols/net/decimal.ts percentOf',
    'protocols/net/default-names.ts formProblem',
    'protocols/net/dns/tsig-keys.ts parseTsigKeys',
  ],
}

/** The entry of what the contracts of endpoints check, which finds their fields by itself. */
const endpoints = ' bodies of endpoints'

function parsersIn({ path, code }: Source): string[] {
  if (!places.test(path)) return []
  return [...code.matchAll(exported)].flatMap(([, fn, constant]) => {
    const name = fn ?? constant!
    return called.test(name) ? [`${path} ${name}`] : []
  })
}

test('every parser of what is sent is in the table of the benchmark', () => {
  const found = readSources().flatMap(parsersIn)
  const named = [...Object.keys(parsers), ...Object.values(others).flat()]
  const known = new Set(named)
  assert.equal(known.size, named.length, 'a parser is named twice')
  assert.deepEqual(
    found.filter((name) => !known.has(name)),
    [],
    'these need a place in bench/parser-table.ts',
  )
  const planted = toSource('protocols/net/new.ts', 'export function* parseText(text: string): string {}')
  assert.deepEqual(parsersIn(planted), ['protocols/net/new.ts parseText'])
})

test('everything that the table names is there', () => {
  const sources = new Map(readSources().map(({ path, code }) => [path, code]))
  const named = [...Object.keys(parsers), ...Object.values(others).flat()].filter((name) => !name.endsWith(endpoints))
  const isThere = (name: string) => {
    const [path = '', symbol] = name.split(' ')
    return new RegExp(`^export (async )?(function\\*?|const|class) ${symbol}\\b`, 'm').test(sources.get(path) ?? '')
  }
  assert.deepEqual(
    named.filter((name) => !isThere(name)),
    [],
  )
})
