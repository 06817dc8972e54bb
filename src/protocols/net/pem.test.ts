import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { encodedAnew } from './pem.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = privateKey.export({ type: 'sec1', format: 'pem' }) as string
const der = privateKey.export({ type: 'sec1', format: 'der' })

test('PEM in any form that is accepted is encoded as every program reads it', () => {
  const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n'
  const forms = {
    'as it should be': pem,
    'with blanks for newlines': pem.replaceAll('\n', ' '),
    'with carriage returns alone': pem.replaceAll('\n', '\r'),
    'in one line': pem.replaceAll(/(?<!-)\n(?!-)/g, ''),
    'with indented lines': pem.replaceAll('\n', '\n    '),
    'with words before it and parameters of its curve': `Key of a server\n${parameters}${pem}`,
  }
  for (const [name, text] of Object.entries(forms)) {
    assert.equal(encodedAnew(text), pem, name)
    assert.deepEqual(createPrivateKey(encodedAnew(text)!).export({ type: 'sec1', format: 'der' }), der)
  }
  assert.equal(encodedAnew(pem.trimEnd() + pem), pem + pem, 'also of blocks that are glued together')
})

test('what is no PEM is not encoded', () => {
  for (const text of [pem.replace('END EC', 'END'), pem.replace('\n', '\n!'), '-----BEGIN A-----\n-----END A-----']) {
    assert.equal(encodedAnew(text), undefined, text)
  }
  assert.equal(encodedAnew('nothing'), '')
})
