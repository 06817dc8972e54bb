/**
 * Every parser of what tenants and strangers send, with the worst that it can be sent. `test/laws/parsers.test.ts` holds the
 * table to be complete.
 */
import assert from 'node:assert/strict'
import { readQuery } from '../src/dns/message.ts'
import { MessageStream } from '../src/dns/tcp-stream.ts'
import { signatureOf } from '../src/dns/tsig.ts'
import { mostOfPacket, PacketReader } from '../src/drivers/storage/doors/sftp/packets.ts'
import { lastOf } from '../src/drivers/storage/doors/ssh/commands/command.ts'
import { parseOptions, wordsOf } from '../src/drivers/storage/doors/ssh/commands/words.ts'
import { parseIf, secondsOf } from '../src/drivers/storage/doors/webdav/locks.ts'
import { longestBody } from '../src/drivers/storage/doors/webdav/properties.ts'
import { pathOf } from '../src/drivers/storage/doors/webdav/request.ts'
import { mostElements, parseXml } from '../src/drivers/storage/doors/webdav/xml.ts'
import { parsePosition } from '../src/events/position.ts'
import { parseDomains } from '../src/families/certificates/managed/domain.ts'
import { isDatacenterName } from '../src/families/datacenters/domain.ts'
import { parsePorts } from '../src/families/firewalls/domain.ts'
import { readNetworkRange } from '../src/families/networks/domain.ts'
import { parsePublicKey } from '../src/families/ssh-keys/domain.ts'
import { readPublicKey } from '../src/families/ssh-keys/public-key.ts'
import { passwordProblem as boxPasswordProblem, pathIn } from '../src/families/storage-boxes/domain.ts'
import { maxPath } from '../src/families/storage-boxes/files/domain.ts'
import { isDescription } from '../src/families/storage-boxes/snapshots/domain.ts'
import { homeProblem } from '../src/families/storage-boxes/subaccounts/domain.ts'
import { isVolumeName } from '../src/families/volumes/domain.ts'
import { adoptZone, withApex, type ZoneContent, zoneProblem } from '../src/families/zones/content/apex.ts'
import { zoneNameProblem } from '../src/families/zones/domain.ts'
import { defaultZoneLimits, rrsetLimits } from '../src/families/zones/limits.ts'
import {
  parseRecords,
  parseType,
  type RrsetContent,
  recordNameProblem,
  rrsetProblem,
} from '../src/families/zones/rrsets/domain.ts'
import { Values } from '../src/families/zones/rrsets/values.ts'
import { readZonefile, zonefileOrder } from '../src/families/zones/zonefiles/domain.ts'
import { isPlainName } from '../src/kernel/access/names.ts'
import { isManagementToken, isTokenShaped } from '../src/kernel/access/token-text.ts'
import { parseTime } from '../src/kernel/audit/contract.ts'
import { metadataBase, publicBase, publicRootOf } from '../src/kernel/contract/bases.ts'
import { rangeIn } from '../src/kernel/contract/bytes.ts'
import { hasMoreCharacters } from '../src/kernel/contract/field-checks.ts'
import { bodyCheck, isStorable, maxBodyBytes, parseJson, parseLargeJson } from '../src/kernel/contract/input.ts'
import { parseInstant } from '../src/kernel/contract/instants.ts'
import { checkJsonBounds } from '../src/kernel/contract/json-bounds.ts'
import { readJsonInTurns } from '../src/kernel/contract/json-in-turns.ts'
import { labelKeyProblem, labelValueProblem, parseLabels } from '../src/kernel/contract/labels.ts'
import { parseSelector } from '../src/kernel/contract/selectors.ts'
import { isDecodable, isOwnHost, methodsAt } from '../src/kernel/contract/urls.ts'
import { routing } from '../src/kernel/http/admission/console-api.ts'
import { readWeights } from '../src/kernel/http/api/weights.ts'
import { parseId } from '../src/kernel/ids.ts'
import { isMailAddress, plainAddress } from '../src/kernel/mail/address.ts'
import { sortSteps } from '../src/kernel/process/sorting.ts'
import { parseDuration } from '../src/lab/duration.ts'
import { readExpiry } from '../src/management/tokens.ts'
import { documentAt, ec2DocumentAt, type ServerFacts } from '../src/metadata/documents.ts'
import { allEndpoints, ownEndpoints } from '../src/pages/openapi.ts'
import { isListed } from '../src/people/credentials/common-list.ts'
import { commonPassword } from '../src/people/credentials/common-password.ts'
import { passwordProblem } from '../src/people/credentials/password.ts'
import { isSecret } from '../src/people/credentials/secret-text.ts'
import { hashRecoveryCode, isOneTimeCode, matchingStep } from '../src/people/credentials/totp.ts'
import { nextPath } from '../src/people/pages/door.ts'
import { readCookie } from '../src/people/sessions/cookies.ts'
import { bytesOfAddress } from '../src/protocols/net/address-bytes.ts'
import { readAll } from '../src/protocols/net/der.ts'
import { readSections } from '../src/protocols/net/dns/answers.ts'
import { isEchConfigList } from '../src/protocols/net/dns/ech.ts'
import { lowerName, parseName, printName, quoteBytes, unescaped } from '../src/protocols/net/dns/names.ts'
import {
  isRecordType,
  mostDataBytes,
  parsePeriod,
  parseRdata,
  plainNameAt,
  printRdata,
  type RecordTypeName,
  typeCode,
} from '../src/protocols/net/dns/rdata.ts'
import { isBase64, readSvcParams, svcParamsProblem, svcParamsToText } from '../src/protocols/net/dns/svc-params.ts'
import { readEntries, readWords } from '../src/protocols/net/dns/tokens.ts'
import { readName } from '../src/protocols/net/dns/wire.ts'
import { isDnsLabel, isDnsName, isHostLabel, isHostName, isLowerCase } from '../src/protocols/net/hostnames.ts'
import { familyOf, parseAddress, parseCidr } from '../src/protocols/net/ip.ts'
import { pemBlocks, pemBytes } from '../src/protocols/net/pem.ts'
import { isUnicodeLabel } from '../src/protocols/net/punycode.ts'
import { RfbHandshake } from '../src/protocols/net/rfb.ts'
import { alternativeNames, certificateKey, privateKey, validityOf } from '../src/protocols/net/x509.ts'
import { readPixelFormat } from '../src/protocols/rfb/pixels.ts'
import { hostileBodies, json, type Shape } from './body-inputs.ts'
import { fill, type Inputs, units } from './fillings.ts'
import {
  paramTexts,
  type RecordInput,
  recordInputs,
  rightBytes,
  rightParams,
  rightRecords,
  rightRrsets,
  zoneContents,
  zonefiles,
} from './record-inputs.ts'

/** The work of a parser: all of it, or the steps of it, between which others have their turn. */
type Work = () => unknown

interface Parser {
  /** Most bytes that it is given, whatever is sent. */
  readonly most: number
  /** The worst inputs. */
  inputs(): Inputs<Work>
}

/** All headers of a request, a form, a command by SSH, a message of DNS, and a body with a zone file, in bytes. */
const most = {
  headers: 16_384,
  form: 65_536,
  command: 35_000,
  message: 65_535,
  body: maxBodyBytes,
  large: 6 * 1024 * 1024,
} as const
/** This much shows how the cost grows, where only the largest body is a bound. */
const enough = 2_000_000

// ---- Texts ---------------------------------------------------------------------------------------------------------

const ends = ['', '!', 'a']

function* texts(prefixes: readonly string[]): Inputs<string> {
  for (const prefix of ['', ...prefixes]) {
    for (const unit of units) {
      for (const end of ends) yield [`${prefix}${unit}...${end}`, (size) => prefix + fill(unit, size) + end]
    }
  }
}

/** Inputs of a parser from what makes its arguments. */
function* worked<T>(inputs: Inputs<T>, parse: (value: T) => unknown): Inputs<Work> {
  for (const [name, make] of inputs) {
    yield [
      name,
      (size) => {
        const value = make(size)
        return () => parse(value)
      },
    ]
  }
}

/** The same for inputs that are right, which it would be a fault of this table to have refused. */
function* taken<T>(inputs: Inputs<T>, parse: (value: T) => unknown): Inputs<Work> {
  for (const [name, make] of worked(inputs, parse)) {
    yield [
      name,
      (size) => {
        const work = make(size)
        assert.ok(isTaken(endOf(work())), `${name} is refused in ${size} bytes`)
        return work
      },
    ]
  }
}

const isTaken = (result: unknown) =>
  typeof result === 'object' && result !== null && 'ok' in result ? result.ok === true : result !== undefined

/** Returns the result of some work, which may be done in steps. */
function endOf(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('next' in result)) return result
  const steps = result as Iterator<unknown>
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** A parser of a text. `prefixes` are beginnings without which it looks no further. */
function text(parse: (text: string) => unknown, bytes: number, ...prefixes: string[]): Parser {
  return { most: bytes, inputs: () => worked(texts(prefixes), parse) }
}

const buffers = [
  [0],
  [0xff],
  [1],
  [0x22],
  [0x2c],
  [0x5c, 0x22],
  [2, 0],
  [0x30, 0x80],
  [0xc0, 0],
  [3, 1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
]

function* bufferInputs(heads: readonly (readonly number[])[]): Inputs<Buffer> {
  for (const head of [[], ...heads]) {
    for (const unit of buffers) {
      const make = (size: number) => Buffer.concat([Buffer.from(head), Buffer.alloc(size, Buffer.from(unit))])
      yield [`${head.join(' ')} ${unit.join(' ')}...`, make]
    }
  }
}

/** A parser of bytes. `heads` are beginnings without which it looks no further. */
function bytes(parse: (bytes: Buffer) => unknown, most: number, ...heads: (readonly number[])[]): Parser {
  return { most, inputs: () => worked(bufferInputs(heads), parse) }
}

// ---- Records and zone files ----------------------------------------------------------------------------------------

const zone = 'example.com'
const origin = '\x07example\x03com\0'

/** Values come in zone files; those in requests are shorter. Those that are right have `data` bytes at most. */
function records(parse: (type: RecordTypeName, text: string) => unknown, most = enough, data = mostDataBytes): Parser {
  const parseInput = ({ type, text }: RecordInput) => parse(type, text)
  return {
    most,
    *inputs() {
      yield* worked(recordInputs(), parseInput)
      yield* taken(atMost(data, most, rightRecords()), parseInput)
    },
  }
}

/** Inputs that take no more than some bytes at the size that is the most of a parser. */
function* atMost<T>(bytes: number, most: number, inputs: Inputs<T>): Inputs<T> {
  for (const [name, make] of inputs) yield [name, (size) => make(Math.floor((size / most) * bytes))]
}

const readParams = (text: string) => readSvcParams(readWords(text) ?? [])

/** All that is done with the values of an RRSet. */
function* checkRrset(rrset: RrsetContent): Generator<void, { readonly ok: boolean }> {
  const values = new Values(zone, rrset.type)
  yield* values.readAll(rrset.records)
  return { ok: rrsetProblem(values, rrset) === undefined }
}

const apexSettings = {
  nameservers: ['ns1.wolke.example.', 'ns2.wolke.example.'],
  hostmaster: 'admin.wolke.example.',
  limits: defaultZoneLimits,
}

/** All that is done with a zone as a whole. */
function takeZone(content: ZoneContent): unknown {
  const { replaced, ...adopted } = adoptZone(content, apexSettings)
  return zoneProblem(withApex(adopted, apexSettings), apexSettings) ?? replaced
}

// ---- Bodies --------------------------------------------------------------------------------------------------------

function bodies(parse: (bytes: Buffer) => unknown, most: number): Parser {
  const inputs = json.map(([name, make]) => [name, (size: number) => Buffer.from(make(size))] as const)
  return { most, inputs: () => worked(inputs, parse) }
}

/** Every field of every endpoint, checked by its contract. */
const contracts: Parser = {
  most: most.body,
  *inputs() {
    for (const { family, key, endpoint } of [...allEndpoints(), ...ownEndpoints()]) {
      if (!endpoint.body) continue
      const check = bodyCheck(endpoint.body, 'wolke')
      const inputs = [...hostileBodies(endpoint.body as Shape)].map((make) => [`${family}.${key}`, make] as const)
      yield* worked(inputs, check)
    }
  },
}

// ---- Requests of WebDAV --------------------------------------------------------------------------------------------

const elements = [
  '<b/>',
  '<b xmlns="n"/>',
  '<b xmlns:p="n"/>',
  '<b>&lt;</b>',
  '<b c="d"></b>',
  '<!---->',
  '<??>',
  '&#65;',
]

/** Documents that are right, of as many elements, attributes or namespaces as there can be. */
function* documents(): Inputs<string> {
  const some = (one: string, size: number) => fill(one, Math.min(size, (mostElements - 1) * one.length))
  for (const one of elements) yield [`${one}...`, (size) => `<a>${some(one, size - 7)}</a>`]
  yield [
    'many attributes, then many elements',
    (size) =>
      `<a ${Array.from({ length: size / 40 }, (_, at) => `xmlns:p${at}="n"`).join(' ')}>${some('<b/>', size / 3)}</a>`,
  ]
}

const xml: Parser = {
  most: longestBody,
  *inputs() {
    yield* worked(texts(['<a>', '<a ', '<!--', '<![CDATA[', '<a b="']), parseXml)
    yield* taken(documents(), parseXml)
  },
}

// ---- The table -----------------------------------------------------------------------------------------------------

const facts = { hostname: 'a', userData: '', interfaces: [] } as unknown as ServerFacts
const paths = allEndpoints().map(({ endpoint }) => endpoint)

/** The parsers by file and name of the function or class; the contracts of all endpoints are one entry. */
export const parsers: Readonly<Record<string, Parser>> = {
  'protocols/net/dns/wire.ts readName': bytes((value) => readName(value, value.length - 2), most.message),
  'dns/message.ts readQuery': bytes(readQuery, most.message, [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0xff, 0xff]),
  'dns/tsig.ts signatureOf': bytes(signatureOf, most.message, [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0xff, 0xff]),
  'dns/tcp-stream.ts MessageStream': bytes((value) => new MessageStream(most.message).take(value), most.form),
  'drivers/storage/doors/sftp/packets.ts PacketReader': bytes(
    (value) => new PacketReader(value).attributes(),
    mostOfPacket,
    [0x80, 0, 0, 0, 0, 0, 0xff, 0xff],
  ),
  'drivers/storage/doors/ssh/commands/command.ts lastOf': text(lastOf, most.command, '/'),
  'drivers/storage/doors/ssh/commands/words.ts parseOptions': text(
    (value) => parseOptions(value.split('"'), 'ab:', ['a', 'b:']),
    most.command,
    '-a "',
    '-- "',
  ),
  'drivers/storage/doors/ssh/commands/words.ts wordsOf': text(wordsOf, most.command, "'"),
  'drivers/storage/doors/webdav/locks.ts parseIf': text((value) => parseIf(value, pathOf), most.headers, '(<a>)', '(['),
  'drivers/storage/doors/webdav/locks.ts secondsOf': text(secondsOf, most.headers, 'Second-'),
  'drivers/storage/doors/webdav/request.ts pathOf': text(pathOf, most.headers, '/'),
  'drivers/storage/doors/webdav/xml.ts parseXml': xml,
  'protocols/rfb/pixels.ts readPixelFormat': bytes(readPixelFormat, 16),
  'events/position.ts parsePosition': text(parsePosition, most.headers),
  'families/certificates/managed/domain.ts parseDomains': text((value) => parseDomains([value]), 255, '*.'),
  'families/datacenters/domain.ts isDatacenterName': text(isDatacenterName, 255),
  'families/firewalls/domain.ts parsePorts': text(parsePorts, most.body),
  'families/networks/domain.ts readNetworkRange': text(readNetworkRange, most.body),
  'families/ssh-keys/domain.ts parsePublicKey': text(parsePublicKey, enough, 'ssh-rsa ', 'ssh-ed25519 AAAA '),
  'families/ssh-keys/public-key.ts readPublicKey': text(readPublicKey, enough, 'ssh-rsa ', 'ssh-ed25519 AAAA '),
  'families/storage-boxes/domain.ts passwordProblem': text((value) => boxPasswordProblem(value, true), 512, 'Aa1-'),
  'families/storage-boxes/domain.ts pathIn': text(pathIn, maxPath, 'a/', './'),
  'families/storage-boxes/snapshots/domain.ts isDescription': text(isDescription, 1_000),
  'families/storage-boxes/subaccounts/domain.ts homeProblem': text(homeProblem, 999, 'a/', '../'),
  'families/volumes/domain.ts isVolumeName': text(isVolumeName, 64),
  'families/zones/domain.ts zoneNameProblem': text(zoneNameProblem, enough, 'xn--'),
  'families/zones/rrsets/domain.ts parseRecords': records(
    (type, value) => parseRecords(new Values(zone, type), [{ value }]),
    16_384,
    4_000,
  ),
  'families/zones/rrsets/domain.ts parseType': text(parseType, enough),
  'families/zones/rrsets/domain.ts recordNameProblem': text((value) => recordNameProblem(value, zone), 255, '*.'),
  'families/zones/rrsets/domain.ts rrsetProblem': {
    most: rrsetLimits.dataBytes,
    inputs: () => taken(rightRrsets(), checkRrset),
  },
  'families/zones/content/apex.ts zoneProblem': {
    most: defaultZoneLimits.textBytes,
    inputs: () => taken(zoneContents(), takeZone),
  },
  'families/zones/zonefiles/domain.ts zonefileOrder': {
    most: defaultZoneLimits.textBytes,
    inputs: () => taken(zoneContents(), ({ rrsets }) => sortSteps(rrsets, zonefileOrder)),
  },
  'families/zones/zonefiles/domain.ts readZonefile': {
    most: enough,
    inputs: () => worked(zonefiles(), (value) => readZonefile(value, zone)),
  },
  'kernel/access/names.ts isPlainName': text(isPlainName, enough),
  'kernel/access/token-text.ts isManagementToken': text(isManagementToken, most.headers),
  'kernel/access/token-text.ts isTokenShaped': text(isTokenShaped, most.headers),
  'kernel/audit/contract.ts parseTime': text(parseTime, most.headers, '2030-01-01T00:00:00.'),
  'kernel/contract/bases.ts publicRootOf': text(publicRootOf, most.headers, `${publicBase}/`),
  'kernel/contract/bytes.ts rangeIn': text((value) => rangeIn(value, 1_000), most.headers, 'bytes=', 'bytes=1-'),
  'kernel/contract/contract.ts bodies of endpoints': contracts,
  'kernel/contract/field-checks.ts hasMoreCharacters': text((value) => hasMoreCharacters(value, 255), enough),
  'kernel/contract/input.ts isStorable': text(isStorable, enough),
  'kernel/contract/input.ts parseJson': bodies(parseJson, most.body),
  'kernel/contract/input.ts parseLargeJson': bodies(parseLargeJson, most.large),
  'kernel/contract/json-bounds.ts checkJsonBounds': bodies(checkJsonBounds, most.large),
  'kernel/contract/json-in-turns.ts readJsonInTurns': text(
    (value) => readJsonInTurns(Buffer.from(value)),
    most.body,
    '"',
  ),
  'kernel/contract/labels.ts labelKeyProblem': text(labelKeyProblem, enough, 'a/'),
  'kernel/contract/labels.ts labelValueProblem': text(labelValueProblem, enough),
  'kernel/contract/labels.ts parseLabels': text(
    (value) => parseLabels({ [value]: value, a: value }, { vendor: 'wolke' }),
    most.body,
  ),
  'kernel/contract/selectors.ts parseSelector': text(parseSelector, enough, 'a in (', 'a=', '!'),
  'kernel/contract/urls.ts isDecodable': text(isDecodable, most.headers, '/%41'),
  'kernel/contract/instants.ts parseInstant': text(parseInstant, most.body, '2030-01-01T00:00:00.'),
  'kernel/contract/urls.ts methodsAt': text((value) => methodsAt(value, paths), most.headers, '/'),
  'kernel/contract/urls.ts isOwnHost': text(isOwnHost, most.headers, '['),
  'kernel/http/admission/console-api.ts routing': text(routing([publicBase]).isForWolke, most.headers, '/'),
  'kernel/http/api/weights.ts readWeights': text(readWeights, most.headers, 'a;q='),
  'kernel/ids.ts parseId': text(parseId, most.headers, '1'),
  'kernel/mail/address.ts isMailAddress': text(isMailAddress, enough, 'a@'),
  'kernel/mail/address.ts plainAddress': text(plainAddress, enough, 'a@'),
  'lab/duration.ts parseDuration': text(parseDuration, most.body, '1'),
  'management/tokens.ts readExpiry': text((value) => readExpiry(value, 0), most.body, '2030-01-01T00:00:00.'),
  'protocols/net/address-bytes.ts bytesOfAddress': text((value) => bytesOfAddress(value), enough, '1:', '::'),
  'protocols/net/der.ts readAll': bytes(readAll, 30_000),
  'metadata/documents.ts documentAt': text(
    (value) => documentAt(value, facts),
    most.headers,
    `${metadataBase}/metadata/`,
  ),
  'metadata/documents.ts ec2DocumentAt': text(
    (value) => ec2DocumentAt(value, facts),
    most.headers,
    '/latest/meta-data/',
  ),
  'protocols/net/dns/answers.ts readSections': bytes(
    readSections,
    most.message,
    [0, 0, 0x80, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0, 0],
  ),
  'protocols/net/dns/names.ts lowerName': text(lowerName, 255),
  'protocols/net/dns/names.ts parseName': text((value) => parseName(value, origin), enough),
  'protocols/net/dns/names.ts printName': text((value) => printName(`\x3f${fill(value, 63).slice(0, 63)}\0`), 255),
  'protocols/net/dns/names.ts quoteBytes': bytes(quoteBytes, mostDataBytes),
  'protocols/net/dns/names.ts unescaped': text((value) => unescaped(value, mostDataBytes), enough),
  'protocols/net/dns/rdata.ts isRecordType': text(isRecordType, enough),
  'protocols/net/dns/rdata.ts parsePeriod': text(parsePeriod, enough),
  'protocols/net/dns/rdata.ts parseRdata': records((type, data) => parseRdata(type, data, origin)),
  'protocols/net/dns/rdata.ts plainNameAt': bytes((value) => plainNameAt(value, 0), mostDataBytes),
  'protocols/net/dns/rdata.ts printRdata': {
    most: mostDataBytes,
    inputs: () => taken(rightBytes(), ({ type, data }) => printRdata(type, data)),
  },
  'protocols/net/dns/rdata.ts typeCode': text(typeCode, enough, 'TYPE'),
  'protocols/net/dns/ech.ts isEchConfigList': bytes(isEchConfigList, mostDataBytes, [0xff, 0xf0, 0xfe, 0x0d, 0, 4]),
  'protocols/net/dns/svc-params.ts isBase64': text(isBase64, 512),
  'protocols/net/dns/svc-params.ts readSvcParams': {
    most: enough,
    *inputs() {
      yield* worked(recordInputs(), ({ text }) => readParams(text))
      yield* taken(atMost(mostDataBytes, enough, paramTexts()), readParams)
    },
  },
  'protocols/net/dns/svc-params.ts svcParamsProblem': {
    most: mostDataBytes,
    inputs: () => taken(rightParams(), svcParamsProblem),
  },
  'protocols/net/dns/svc-params.ts svcParamsToText': {
    most: mostDataBytes,
    inputs: () => taken(rightParams(), svcParamsToText),
  },
  'protocols/net/dns/tokens.ts readEntries': text((value) => readEntries(value), enough, 'a TXT ', '( ', ';'),
  'protocols/net/dns/tokens.ts readWords': text(readWords, enough),
  'protocols/net/hostnames.ts isDnsLabel': text(isDnsLabel, enough),
  'protocols/net/hostnames.ts isDnsName': text(isDnsName, enough),
  'protocols/net/hostnames.ts isHostLabel': text(isHostLabel, enough),
  'protocols/net/hostnames.ts isHostName': text(isHostName, enough),
  'protocols/net/hostnames.ts isLowerCase': text(isLowerCase, enough),
  'protocols/net/ip.ts familyOf': text(familyOf, enough),
  'protocols/net/ip.ts parseAddress': text(parseAddress, enough, '1:', '::'),
  'protocols/net/ip.ts parseCidr': text(parseCidr, enough, '10.0.0.0/', '::/'),
  'protocols/net/pem.ts pemBlocks': text(pemBlocks, most.body, '-----BEGIN A-----'),
  'protocols/net/pem.ts pemBytes': text((body) => pemBytes({ label: 'A', body }), 30_000),
  'protocols/net/punycode.ts isUnicodeLabel': text(isUnicodeLabel, enough, 'xn--'),
  'protocols/net/rfb.ts RfbHandshake': bytes(
    (value) => new RfbHandshake('secret', Buffer.alloc(16)).feed(value),
    most.form,
  ),
  'protocols/net/x509.ts alternativeNames': bytes(alternativeNames, 30_000),
  'protocols/net/x509.ts certificateKey': bytes(certificateKey, 30_000),
  'protocols/net/x509.ts privateKey': bytes((value) => privateKey('PRIVATE KEY', value), 5_000),
  'protocols/net/x509.ts validityOf': bytes(validityOf, 30_000),
  'people/credentials/common-list.ts isListed': text(isListed, most.form),
  'people/credentials/common-password.ts commonPassword': text((value) => commonPassword(value.slice(0, 128)), 128),
  'people/sessions/cookies.ts readCookie': text((value) => readCookie(value, 'wolke'), most.headers),
  'people/pages/door.ts nextPath': text(nextPath, most.form, '/console/'),
  'people/credentials/password.ts passwordProblem': text(passwordProblem, most.form),
  'people/credentials/secret-text.ts isSecret': text(isSecret, most.headers),
  'people/credentials/totp.ts hashRecoveryCode': text((value) => hashRecoveryCode(1, value), most.form),
  'people/credentials/totp.ts isOneTimeCode': text(isOneTimeCode, most.form),
  'people/credentials/totp.ts matchingStep': text((value) => matchingStep('AAAA', value, 0, 0), most.form),
}
