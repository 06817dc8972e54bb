import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { test } from 'node:test'
import { dnskeyData, dsData, keyTag } from './dnskeys.ts'
import { nameOf } from './names.ts'
import { printRdata } from './rdata.ts'

test('a key has the DNSKEY and DS records of RFC 6605, 6.1', () => {
  const point = 'GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA=='
  const bytes = Buffer.from(point, 'base64')
  const [x, y] = [bytes.subarray(0, 32), bytes.subarray(32)].map((part) => part.toString('base64url'))
  const d = Buffer.from('GU6SnQ/Ou+xC5RumuIUIuJZteXT2z0O/ok1s38Et6mQ=', 'base64').toString('base64url')
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y!, d }, format: 'jwk' })
  const dnskey = dnskeyData(key)
  assert.equal(dnskey.toString('hex'), `0101030d${bytes.toString('hex')}`)
  assert.equal(keyTag(dnskey), 55_648)
  assert.equal(
    printRdata('DS', dsData(nameOf('example.net'), dnskey)),
    '55648 13 2 b4c8c1fe2e7477127b27115656ad6256f424625bf5c1e2770ce6d6e37df61d17',
  )
})
