import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  certify,
  chain,
  der,
  integer,
  keyPem,
  party,
  pem,
  rsaParty,
  rsaPrivateKey,
  rsaPublicKey,
  selfSigned,
  sequence,
  type Upload,
} from '../../../test/kit/samples/certificates.ts'
import { type Acceptance, sizeProblems } from './domain.ts'
import { type KeyPairResult, readKeyPair } from './key-pair.ts'

const now: Acceptance = { limitsSize: true, limitsKeys: true }
const before: Acceptance = { limitsSize: false, limitsKeys: false }

const toPair = ({ certificate, private_key: privateKey }: Upload) => ({ certificate, privateKey })
const read = (upload: Upload, acceptance = now) => readKeyPair(toPair(upload), acceptance)

function factsOf(result: KeyPairResult) {
  assert.ok(result.ok, JSON.stringify(result))
  return result.facts
}

/** `field message` of a refusal. */
function refusal(result: KeyPairResult): string {
  assert.ok(!result.ok, 'it was accepted')
  return `${result.field} ${result.message}`
}

const self = party('example.com')
const ofSelf = (contents: Parameters<typeof certify>[2]) => ({
  certificate: pem('CERTIFICATE', certify(self, self, contents)),
  private_key: keyPem(self.privateKey),
})

test('the leaf says for which domains, when, and what its fingerprint is', () => {
  const leaf = certify(self, self, { domains: ['example.com', '*.example.com', 'example.com'] })
  const facts = factsOf(read({ certificate: pem('CERTIFICATE', leaf), private_key: keyPem(self.privateKey) }))
  const digest = createHash('sha256').update(leaf).digest('hex').toUpperCase()
  assert.deepEqual(facts, {
    domainNames: ['example.com', '*.example.com'],
    fingerprint: digest.replace(/..(?=.)/g, '$&:'),
    notValidBefore: '2026-01-01T00:00:00Z',
    notValidAfter: '2036-01-01T00:00:00Z',
  })
})

test('the common name counts where there are no alternative names, and other kinds of names are no domains', () => {
  assert.deepEqual(factsOf(read(ofSelf({ domains: [] }))).domainNames, ['example.com'])
  const address = der(0x87, '7f000001')
  assert.deepEqual(factsOf(read(ofSelf({ others: [address] }))).domainNames, [])
  const link = der(0x86, Buffer.from('http://a/, DNS:b.example'))
  assert.deepEqual(factsOf(read(ofSelf({ domains: ['a.example'], others: [link] }))).domainNames, ['a.example'])
  const nobody = party('')
  const certificate = pem('CERTIFICATE', certify(nobody, nobody))
  assert.deepEqual(factsOf(read({ certificate, private_key: keyPem(nobody.privateKey) })).domainNames, [])
})

test('chains of one to five hold, each certificate certifying the one before it', () => {
  for (const length of [1, 2, 5]) factsOf(read(chain(length)))
  const { certificates, private_key } = chain(3)
  const [leaf = '', second = '', third = ''] = certificates
  const order = (...some: string[]) => refusal(read({ certificate: some.join(''), private_key }))
  assert.equal(order(leaf, third, second), 'certificate the second certificate does not certify the first certificate')
  assert.equal(order(leaf, second, leaf), 'certificate the third certificate does not certify the second certificate')
  assert.equal(order(second, third), 'private_key does not belong to the first certificate')
  // The right name is not enough: the signature has to be the issuer's.
  const [, impostor = ''] = chain(2).certificates
  assert.equal(order(leaf, impostor), 'certificate the second certificate does not certify the first certificate')
  const six = chain(6)
  assert.equal(refusal(read(six)), 'certificate a chain cannot have more than 5 certificates')
  factsOf(read(six, before))
})

test('text around the blocks and other line ends change nothing', () => {
  const { certificate, private_key } = selfSigned('a.example')
  const around = `subject=CN = a.example\n${certificate}trailing words\n`
  factsOf(read({ certificate: around, private_key }))
  const windows = (text: string) => text.replaceAll('\n', '\r\n')
  factsOf(read({ certificate: windows(certificate), private_key: windows(private_key) }))
})

test('private keys come in three forms, and the curve may stand before them', () => {
  const forms = (key: KeyObject, types: ('pkcs8' | 'pkcs1' | 'sec1')[]) =>
    types.map((type) => key.export({ type: type as 'pkcs8', format: 'pem' }) as string)
  const rsa = rsaParty('rsa.example', 2_048)
  for (const [own, types] of [
    [self, ['pkcs8', 'sec1']],
    [rsa, ['pkcs8', 'pkcs1']],
  ] as const) {
    const certificate = pem('CERTIFICATE', certify(own, own))
    for (const private_key of forms(own.privateKey, [...types])) factsOf(read({ certificate, private_key }))
  }
  const [, sec1] = forms(self.privateKey, ['pkcs8', 'sec1'])
  const parameters = pem('EC PARAMETERS', Buffer.from('06082a8648ce3d030107', 'hex'))
  const { certificate } = ofSelf({})
  factsOf(read({ certificate, private_key: parameters + sec1 }))
})

test('five sizes of keys are accepted; others were before they were limited', () => {
  const withKey = (publicKey: Buffer) => read(ofSelf({ publicKey }))
  for (const bits of [2_048, 3_072, 4_096]) {
    // Far enough to see that the key is not the one of this certificate.
    assert.match(refusal(withKey(rsaPublicKey(bits, '010001'))), /^private_key does not belong/)
  }
  for (const bits of [1_024, 2_040, 8_192]) {
    const says = `certificate the first certificate has an RSA key of ${bits} bits; 2048, 3072 or 4096 are accepted`
    assert.equal(refusal(withKey(rsaPublicKey(bits, '010001'))), says)
  }
  const ec = (curve: string) => {
    const own = party('ec.example', curve)
    return { certificate: pem('CERTIFICATE', certify(own, own)), private_key: keyPem(own.privateKey) }
  }
  factsOf(read(ec('P-384')))
  const p521 = ec('P-521')
  const says = 'certificate the first certificate has an ECDSA key of 521 bits; 256 or 384 are accepted'
  assert.equal(refusal(read(p521)), says)
  factsOf(read(p521, before))
  const weak = rsaParty('weak.example', 1_024)
  factsOf(read({ certificate: pem('CERTIFICATE', certify(weak, weak)), private_key: keyPem(weak.privateKey) }, before))
})

test('keys that take long to compute with are seen before anything computes with them', () => {
  const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' }) as Buffer
  const explicit = generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' })
  const edwards = generateKeyPairSync('ed25519')
  const kind = 'has a key that is neither RSA nor ECDSA on a curve that is accepted'
  const { certificate } = ofSelf({})
  for (const keys of [explicit, edwards]) {
    assert.equal(
      refusal(read(ofSelf({ publicKey: spki(keys.publicKey) }))),
      `certificate the first certificate ${kind}`,
    )
    assert.equal(refusal(read({ certificate, private_key: keyPem(keys.privateKey) })), `private_key ${kind}`)
  }
  // Inside a key whose outside names a curve.
  const inner = explicit.privateKey.export({ type: 'sec1', format: 'der' }) as Buffer
  const outside = sequence(integer('00'), sequence('06072a8648ce3d0201', '06082a8648ce3d030107'), der(0x04, inner))
  assert.equal(refusal(read({ certificate, private_key: pem('PRIVATE KEY', outside) })), `private_key ${kind}`)
  const huge = rsaPublicKey(2_048, `00${'ff'.repeat(1_024)}`)
  assert.equal(refusal(read(ofSelf({ publicKey: huge }))), 'certificate the first certificate cannot be read')
  // Numbers larger than the modulus, and more of them than two primes have.
  const big = 'f'.repeat(512)
  const small = Array.from({ length: 9 }, (_, index) => (index === 0 ? '00' : `00${big}`))
  for (const numbers of [
    small.with(3, `00${'ff'.repeat(1_000)}`),
    small.with(2, `00${big}`),
    [...small.with(2, '010001'), `00${big}`],
  ]) {
    const key = pem('RSA PRIVATE KEY', rsaPrivateKey(numbers))
    assert.equal(refusal(read({ certificate, private_key: key })), 'private_key the key cannot be read')
  }
})

test('an encrypted key is refused in words, without any guess at its passphrase', () => {
  const { certificate } = ofSelf({})
  const says = 'private_key is encrypted; send it without a passphrase'
  const modern = { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: '' } as const
  const old = { format: 'pem', type: 'sec1', cipher: 'aes-256-cbc', passphrase: 'secret' } as const
  for (const options of [modern, old]) {
    assert.equal(refusal(read({ certificate, private_key: self.privateKey.export(options) as string })), says)
  }
  // Under the label of one that is not: stretching this passphrase would take minutes.
  const stretch = sequence('06092a864886f70d01050c', sequence(der(0x04, '00'.repeat(8)), integer('01312d00')))
  const encryption = sequence('060960864801650304012a', der(0x04, '00'.repeat(16)))
  const algorithm = sequence('06092a864886f70d01050d', sequence(stretch, encryption))
  const bomb = pem('PRIVATE KEY', sequence(algorithm, der(0x04, '00'.repeat(64))))
  assert.equal(refusal(read({ certificate, private_key: bomb })), says)
})

test('a key has to sign for the leaf, not only to look like it', () => {
  const own = rsaParty('rsa.example', 2_048)
  const certificate = pem('CERTIFICATE', certify(own, own))
  const jwk = own.privateKey.export({ format: 'jwk' })
  const hex = (text: string | undefined) => `00${Buffer.from(text ?? '', 'base64url').toString('hex')}`
  const numbers = [jwk.n, jwk.e, jwk.d, jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi].map(hex)
  const whole = pem('RSA PRIVATE KEY', rsaPrivateKey(['00', ...numbers]))
  factsOf(read({ certificate, private_key: whole }))
  const other = hex(rsaParty('other', 2_048).privateKey.export({ format: 'jwk' }).d)
  const damaged = numbers.with(2, other).with(3, other.slice(0, 256)).with(4, other.slice(0, 256))
  const says = /^private_key (is damaged: it does not sign|the key cannot be read)$/
  const private_key = pem('RSA PRIVATE KEY', rsaPrivateKey(['00', ...damaged]))
  assert.match(refusal(read({ certificate, private_key })), says)
})

test('what is no certificate or no key says so', () => {
  const { certificate, private_key } = ofSelf({})
  const label = 'CERTIFICATE'
  const cases: [Upload, string][] = [
    [{ certificate: 'hello', private_key }, 'certificate holds no complete PEM block'],
    [{ certificate: `-----BEGIN ${label}-----\nAAAA`, private_key }, 'certificate holds no complete PEM block'],
    [
      { certificate: certificate + private_key, private_key },
      'certificate holds a private key; only certificates are accepted',
    ],
    [
      { certificate: pem('X', Buffer.alloc(9)), private_key },
      'certificate holds something else than a certificate; only certificates are accepted',
    ],
    [
      { certificate: pem(label, Buffer.from('hello')), private_key },
      'certificate the first certificate cannot be read',
    ],
    [
      { certificate: certificate + pem(label, sequence()), private_key },
      'certificate the second certificate cannot be read',
    ],
    [
      { certificate: certificate.replace('\nM', '\n!'), private_key },
      'certificate the first certificate is not valid base64',
    ],
    [{ certificate, private_key: certificate }, 'private_key holds something else than a private key'],
    [{ certificate, private_key: private_key + private_key }, 'private_key must hold exactly one private key in PEM'],
    [{ certificate, private_key: pem('PRIVATE KEY', Buffer.from('hello')) }, 'private_key the key cannot be read'],
    [{ certificate, private_key: private_key.replace('\nM', '\n=') }, 'private_key is not valid base64'],
    [{ certificate, private_key: selfSigned('x').private_key }, 'private_key does not belong to the first certificate'],
  ]
  for (const [upload, says] of cases) assert.equal(refusal(read(upload)), says)
})

test('times are those of the calendar, in either form', () => {
  const time = (tag: number, text: string) => der(tag, Buffer.from(text))
  const valid = (from: Buffer) => read(ofSelf({ validity: sequence(from, time(0x18, '99991231235959Z')) }))
  const { notValidBefore, notValidAfter } = factsOf(valid(time(0x17, '500228000000Z')))
  assert.deepEqual([notValidBefore, notValidAfter], ['1950-02-28T00:00:00Z', '9999-12-31T23:59:59Z'])
  assert.equal(factsOf(valid(time(0x17, '491231235959Z'))).notValidBefore, '2049-12-31T23:59:59Z')
  for (const text of ['269901000000Z', '260230000000Z', '2601010000Z', '260101000000+0100', 'hello', '']) {
    assert.equal(refusal(valid(time(0x17, text))), 'certificate the first certificate cannot be read')
  }
})

test('sizes are judged before anything is read', () => {
  const pair = { certificate: `${'x'.repeat(29_989)}-----BEGIN `, privateKey: `${'x'.repeat(4_989)}-----BEGIN ` }
  assert.deepEqual(sizeProblems(pair, now), [])
  const larger = { certificate: `${pair.certificate}x`, privateKey: `é${pair.privateKey.slice(1)}` }
  assert.deepEqual(sizeProblems(larger, now), [
    { field: 'certificate', message: 'a chain of certificates cannot have more than 30000 bytes', isLimit: true },
    { field: 'private_key', message: 'a private key cannot have more than 5000 bytes', isLimit: true },
  ])
  assert.deepEqual(sizeProblems(larger, before), [])
  assert.deepEqual(
    sizeProblems({ certificate: 'x', privateKey: 'x' }, now).map(({ message }) => message),
    ['does not hold PEM', 'does not hold PEM'],
  )
})

test('whatever is changed in a good pair, the answer is facts or a refusal, never a failure', () => {
  const good = chain(2)
  const edit = fc.record({
    field: fc.constantFrom('certificate', 'private_key'),
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    insert: fc.oneof(fc.string({ maxLength: 3 }), fc.base64String({ maxLength: 8 })),
    drop: fc.integer({ min: 0, max: 5 }),
  })
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      const changed = { certificate: good.certificate, private_key: good.private_key }
      for (const { field, at, insert, drop } of edits) {
        const text = changed[field as keyof typeof changed]
        const index = Math.floor(at * text.length)
        changed[field as keyof typeof changed] = text.slice(0, index) + insert + text.slice(index + drop)
      }
      const result = read(changed)
      assert.ok(result.ok || result.message.length > 0)
    }),
    { numRuns: 400 },
  )
})
