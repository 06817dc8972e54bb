import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyName, parseTsigKeys } from './tsig-keys.ts'

const secret = Buffer.from('known to both sides').toString('base64')

test('keys are read as tsig-keygen prints them, with comments and in any layout', () => {
  const text = `
    # one key
    key "Transfer.example" {
      algorithm hmac-sha256;
      secret "${secret}";
    };
    // and another one, /* which */ is short
    key other.example. { secret ${secret}; algorithm "HMAC-SHA512."; };
    /* key "gone" { */
  `
  const keys = parseTsigKeys(text)
  assert.deepEqual([...keys.keys()], [keyName('transfer.example'), keyName('other.example')])
  const [one, other] = [...keys.values()]
  assert.deepEqual([one!.algorithm, one!.secret.toString()], ['hmac-sha256', 'known to both sides'])
  assert.equal(other!.algorithm, 'hmac-sha512')
  assert.equal(parseTsigKeys(' ').size, 0)
})

test('what is no key is refused by its name, and its secret is not said', () => {
  const refused: readonly (readonly [text: string, message: RegExp])[] = [
    [`key "a.b" { algorithm hmac-sha256; };`, /a\.b needs a secret/],
    [`key "a.b" { secret "${secret}"; };`, /a\.b needs an algorithm/],
    [`key "a.b" { algorithm hmac-sha3; secret "${secret}"; };`, /a\.b needs an algorithm of hmac-md5/],
    [`key "a.b" { algorithm hmac-sha256; secret "${secret}?"; };`, /a\.b needs a secret in base64/],
    [`key "a.b" { algorithm hmac-sha256; secret "${secret}"; owner me; };`, /a\.b has something else/],
    [`key "a..b" { algorithm hmac-sha256; secret "${secret}"; };`, /a\.\.b is no name of a key/],
    [`key "a.b" { algorithm hmac-sha256; secret "${secret}"; }; key a.b { };`, /a\.b is there twice/],
    [`key "a.b" { algorithm hmac-sha256; secret "${secret}"; }; zone x { };`, /as statement 2/],
    [`a.b hmac-sha256 ${secret}`, /as statement 1/],
  ]
  for (const [text, message] of refused) {
    assert.throws(
      () => parseTsigKeys(text),
      (error: Error) => {
        assert.match(error.message, message)
        assert.ok(!error.message.includes(secret), error.message)
        return true
      },
    )
  }
})
