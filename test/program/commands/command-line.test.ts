/** Command lines that are wrong: refused in one line, without what may be a secret. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkFailure, wolke } from '../kit/wolke.ts'

describe('A bad command line', { concurrency: 3 }, () => {
  const cases: [args: string[], says: RegExp][] = [
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['serve', '--frobnicate'], /unknown option '--frobnicate'/],
    [['serve', '--listen', 'nowhere'], /--listen.*Expected HOST:PORT/],
    [['serve', '--dns-listen', 'localhost:53'], /--dns-listen.*Expected ADDRESS:PORT/],
    [['serve', '--dns-transfer-to', 'ns1.example.com'], /--dns-transfer-to.*expected ADDRESS or ADDRESS:PORT/],
    [['serve', '--dns-private-primaries', '10.0.0.1/8'], /--dns-private-primaries.*host bits/],
    [['serve', '--nameservers', 'ns1.example.com,NS2'], /--nameservers.*NS2: expected a domain name/],
    [['serve', '--hostmaster', 'me@example.com'], /--hostmaster.*expected a domain name/],
    [['serve', '--token', 'x'.repeat(63)], /--token.*exactly 64/],
    [['serve', '--tls-cert', 'x'], /--tls-cert and --tls-key belong together/],
    [['serve', '--acme-directory', 'http://ca.example/dir'], /--acme-directory.*Expected https/],
    [['serve', '--acme-eab-kid', 'x'], /--acme-eab-kid and --acme-eab-key belong together/],
    [['serve', '--acme-eab-kid', 'x', '--acme-eab-key', 'a key'], /--acme-eab-key.*Expected base64url/],
    [['serve', '--acme-ca-file', '/nowhere/x'], /--acme-ca-file: ENOENT/],
    [
      ['serve', '--acme-ca-file', import.meta.filename],
      /--acme-ca-file: .*command-line\.test\.ts holds no certificate/,
    ],
    [['serve', '--reverse-domain', 'Our Cloud'], /--reverse-domain.*expected a domain name/],
    [['serve', '--reverse-name', '{ip}.clients.{domain}'], /--reverse-name.*\{ip\} is unknown: use one of \{ipv4/],
    [['serve', '--reverse-name-ipv6', '{ipv6-dashed}.{domain}'], /--reverse-name-ipv6.*must end with a domain/],
    [['serve', '--reverse-domain', `${'a.'.repeat(115)}b`], /--reverse-name is too long for --reverse-domain/],
    [['serve', '--resolver', 'ns.example'], /--resolver.*Expected an IP address/],
    [['serve', '--resolver', '192.0.2.1:65536'], /--resolver.*Expected an IP address/],
    [['serve', '--delegation-check', 'maybe'], /--delegation-check.*on, off/],
    [['serve', '--dns-response-slip', '11'], /--dns-response-slip.*number from 0 to 10/],
    [['serve', '--dns-response-rate', 'none'], /--dns-response-rate.*at least 1/],
    [['serve', '--dns-transfers', '0'], /--dns-transfers.*at least 1/],
    [['serve', '--zone-bytes', '2097153'], /--zone-bytes.*at most 2097152/],
    [['serve', '--smtp', 'smtp://a.example'], /--smtp needs --mail-from/],
    [['serve', '--owner-email', 'none'], /--owner-email.*one plain address/],
    [['project', 'set', 'a', '--owner-email', 'a@b, c@d'], /--owner-email.*one plain address/],
    [['project', 'set', 'a'], /required option '--owner-email <address\|none>'/],
    [['project', 'create', ' x', '--database', 'sqlite:/nowhere/x'], /1 to 128 characters/],
    [['project', 'list', '--database', 'memory:http'], /--database.*Expected sqlite:PATH, memory or postgres/],
    [['serve', '--database', 'memory:8080'], /--database.*Expected sqlite:PATH, memory or postgres/],
    [['secrets', 'rotate', '--database', 'sqlite:x'], /required option '--previous-key-file <file>'/],
    [['token', 'create', '--database', 'sqlite:x'], /either --project or --management is needed/],
  ]
  for (const [args, says] of cases) {
    test(`wolke ${args.join(' ')}`, async () => checkFailure(await wolke(...args), 2, says))
  }

  test('is answered without what may be a secret', async () => {
    const secret = 'secret'.repeat(9)
    const mistyped = [
      wolke('serve', '--token', secret),
      wolke('serve', `--token=${secret}`),
      wolke('serve', `--tokne=${secret}`),
      wolke('serve', '--database', `postgre://me:${secret}@localhost/wolke`),
      wolke('serve', '--smtp', `http://me:${secret}@localhost`),
      wolke('serve', '--acme-eab-key', `${secret}!`),
      wolke('proxy', '--to', `http://me:${secret}@localhost`),
    ]
    const outcomes = await Promise.all(mistyped)
    for (const outcome of outcomes) {
      checkFailure(outcome, 2, /--to|--database|--smtp|--acme-eab-key/)
      assert.ok(!outcome.stderr.includes(secret), outcome.stderr)
    }
    assert.match(outcomes[0]!.stderr, /--token <token>' argument of 54 characters is invalid. Expected exactly 64/)
  })

  test('is answered with help only on request', async () => {
    const help = await wolke('--help')
    assert.equal(help.code, 0)
    assert.match(help.stdout, /^Usage: wolke /)
  })
})
