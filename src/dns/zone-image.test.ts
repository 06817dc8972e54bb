import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOf } from '../protocols/net/dns/names.ts'
import { wireTypes } from './dnssec.ts'
import { lookUp } from './lookup.ts'
import { recordsOf } from './message.ts'
import { ZoneImage } from './zone-image.ts'

const generic = (hex: string) => `\\# ${hex.length / 2} ${hex}`
/** RRSIG records that cover A and TXT. */
const [overA, overTxt] = ['0001', '0010'].map((type) => generic(`${type}${'00'.repeat(18)}`)) as [string, string]
const nsec3 = generic(`0101000000${'14'}${'00'.repeat(20)}`)
const hash = '0p9mhaveqvm6t7vbl5lop2u3t2rp3tom'

const put = (image: ZoneImage, name: string, type: string, ...values: string[]) =>
  image.put({ key: `${name}/${type}`, name, type, ttl: 60, values }, 1)

function signed(): ZoneImage {
  const image = new ZoneImage('example.com', 300)
  put(image, '@', 'SOA', 'ns me 1 1 1 1 60')
  put(image, 'a.b', 'A', '192.0.2.1')
  put(image, 'a.b', 'TXT', '"text"')
  put(image, 'a.b', 'TYPE46:A', overA)
  put(image, 'a.b', 'TYPE46:TXT', overTxt)
  put(image, 'd', 'TYPE39', generic('01640000'.slice(0, 6)))
  put(image, 'sub', 'NS', 'ns.example.net.')
  put(image, '@', 'TYPE51', generic('0100000000'))
  put(image, hash, 'TYPE50', nsec3)
  put(image, hash, 'TYPE46:TYPE50', generic(`0032${'00'.repeat(18)}`))
  return image
}

const asked = (image: ZoneImage, name: string, type: number, dnssecOk = false) =>
  lookUp(image, { name: nameOf(name), type, dnssecOk }, () => undefined)

test('what is removed leaves nothing behind, signatures and hashed names included', () => {
  const image = signed()
  assert.equal(image.size, 10)
  assert.equal(asked(image, 'b.example.com', 1).rcode, 0)
  assert.equal(image.boundaries, 2)
  for (const key of ['a.b/A', 'a.b/TXT', 'd/TYPE39', 'sub/NS', `${hash}/TYPE50`, `${hash}/TYPE46:TYPE50`, '@/TYPE51'])
    image.remove(key)
  assert.equal(asked(image, 'b.example.com', 1).rcode, 0, 'signatures are left')
  image.remove('a.b/TYPE46:A')
  image.remove('a.b/TYPE46:TXT')
  assert.equal(asked(image, 'b.example.com', 1, true).rcode, 3)
  assert.deepEqual([image.size, image.boundaries, image.hashed.size, [...image.others()].length], [1, 0, 0, 0])
  assert.equal(image.denial, undefined)
})

test('signatures that were stored together belong to the types that they cover', () => {
  const image = new ZoneImage('example.com', 300)
  put(image, '@', 'SOA', 'ns me 1 1 1 1 60')
  put(image, 'www', 'A', '192.0.2.1')
  put(image, 'www', 'TYPE46', overA, overTxt)
  const [one] = asked(image, 'www.example.com', 1, true).answer
  assert.equal(one!.signatures?.data.length, 1)
  assert.equal(asked(image, 'www.example.com', wireTypes.RRSIG).answer.length, 2)
  image.remove('www/TYPE46')
  assert.deepEqual(asked(image, 'www.example.com', wireTypes.RRSIG).answer, [])
})

test('no query finds the owner of NSEC3 records, and a transfer does', () => {
  const image = signed()
  assert.equal(asked(image, `${hash}.example.com`, wireTypes.NSEC3).rcode, 3)
  const owners = [...image.others()].flatMap((one) => recordsOf(one).map(() => one.owner))
  assert.equal(owners.filter((owner) => owner === nameOf(`${hash}.example.com`)).length, 2)
})
