/** Published examples check what people prove with: passwords, one-time codes, QR codes, cookies. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { ApiError } from '../../kernel/errors.ts'
import { HashingLine } from '../../kernel/secrets/hashing.ts'
import { hashPassword, isOutdated, isPassword } from '../../kernel/secrets/password-hash.ts'
import { canHavePasskeys, cookieName, isSecurePlace, readCookie, setCookie } from '../sessions/cookies.ts'
import { commonPassword } from './common-password.ts'
import { passwordProblem } from './password.ts'
import { qrSvg } from './qr.ts'
import {
  hashRecoveryCode,
  matchingStep,
  newRecoveryCodes,
  newTotpSecret,
  stepAt,
  toBase32,
  totpCode,
  totpUri,
} from './totp.ts'

describe('one-time codes', () => {
  test('are those of the examples of RFC 6238', () => {
    const secret = toBase32(Buffer.from('12345678901234567890'))
    assert.equal(secret, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    const examples: readonly (readonly [number, string])[] = [
      [59, '94287082'],
      [1_111_111_109, '07081804'],
      [1_111_111_111, '14050471'],
      [1_234_567_890, '89005924'],
      [2_000_000_000, '69279037'],
      [20_000_000_000, '65353130'],
    ]
    for (const [seconds, code] of examples) assert.equal(totpCode(secret, stepAt(seconds * 1_000), 8), code)
  })

  test('are accepted one step early or late, and each step once', () => {
    const secret = newTotpSecret()
    assert.match(secret, /^[A-Z2-7]{32}$/)
    const now = 1_800_000_000_000
    const step = stepAt(now)
    for (const [offset, found] of [
      [-2, undefined],
      [-1, step - 1],
      [0, step],
      [1, step + 1],
      [2, undefined],
    ] as const) {
      assert.equal(matchingStep(secret, totpCode(secret, step + offset), now, 0), found)
    }
    assert.equal(matchingStep(secret, totpCode(secret, step), now, step), undefined)
    assert.equal(matchingStep(secret, ` ${totpCode(secret, step).replace(/^.../, '$& ')}`, now, 0), step)
    for (const text of ['', '12345', '1234567', 'abcdef', '１２３４５６']) {
      assert.equal(matchingStep(secret, text, now, 0), undefined)
    }
  })

  test('have ten different recovery codes, which are read as people type them', () => {
    const codes = newRecoveryCodes()
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) {
      assert.match(code, /^[2-9a-hjkmnp-z]{4}(-[2-9a-hjkmnp-z]{4}){2}$/)
      const stored = hashRecoveryCode(1, code)
      assert.equal(hashRecoveryCode(1, ` ${code.toUpperCase().replaceAll('-', ' ')} `), stored)
      assert.notEqual(hashRecoveryCode(2, code), stored)
    }
    assert.equal(hashRecoveryCode(1, '123456'), undefined)
  })
})

describe('the line for hashing', () => {
  /** A line both of whose places are taken until `leave` is called. */
  function heldLine() {
    const line = new HashingLine()
    const places = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const held = places.map(({ promise }) => line.run('held', () => promise))
    const served: string[] = []
    const refused: [string, number][] = []
    const join = (party: string, name = party) =>
      line
        .run(party, async () => void served.push(name))
        .catch((error: ApiError) => void refused.push([name, error.status]))
    return { line, held, served, refused, join, leave: (place: 0 | 1) => places[place]!.resolve() }
  }

  test('serves the newest party and the oldest in turn, and of each one after the other', async () => {
    const { line, held, served, join, leave } = heldLine()
    const all = ['a1', 'b1', 'a2', 'c1', 'a3', 'd1'].map((name) => join(name[0]!, name))
    assert.equal(line.waiting, 6)
    leave(0)
    await Promise.all(all)
    assert.deepEqual(served, ['d1', 'a1', 'a2', 'b1', 'a3', 'c1'])
    leave(1)
    await Promise.all(held)
    assert.equal(line.waiting, 0)
  })

  test('turns away more than twenty of a party, and the oldest of more than a thousand parties', async () => {
    const { line, refused, join } = heldLine()
    for (let i = 0; i < 22; i++) void join('crowd', `crowd ${i}`)
    for (let i = 0; i < 1_000; i++) void join(`party ${i}`)
    await turn()
    assert.deepEqual(refused, [
      ['crowd 20', 503],
      ['crowd 21', 503],
      ['crowd 0', 503],
    ])
    assert.equal(line.waiting, 1_019)
  })

  test('turns away who has waited for a minute, and nobody else', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { line, held, served, refused, join, leave } = heldLine()
    const early = join('early')
    t.mock.timers.tick(40_000)
    const late = join('late')
    t.mock.timers.tick(20_000)
    await early
    assert.deepEqual([refused, line.waiting], [[['early', 503]], 1])
    for (const place of [0, 1] as const) leave(place)
    await Promise.all([late, ...held])
    assert.deepEqual([served, line.waiting], [['late'], 0])
    t.mock.timers.tick(60_000)
    assert.equal(refused.length, 1)
  })
})

describe('passwords', () => {
  test('are hashed with argon2id, 19 MiB and two passes, each with a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword('vier kleine Fische'), hashPassword('vier kleine Fische')])
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    assert.notEqual(one, other)
    assert.deepEqual(
      [await isPassword('vier kleine Fische', one), await isPassword('vier kleine Fisch', one)],
      [true, false],
    )
    assert.equal(await isPassword('vier kleine Fische', undefined), false)
    assert.equal(isOutdated(one), false)
  })

  test('are understood in older forms, which then count as outdated', async () => {
    // Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1.
    const old = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    assert.deepEqual([await isPassword('password', old), isOutdated(old)], [true, true])
    await assert.rejects(isPassword('x', '$argon2i$v=19$m=1,t=1,p=1$x$y'), /a form that this version does not know/)
  })

  test('are the same however their characters are composed', async () => {
    const stored = await hashPassword('f\u00fcnf gr\u00fcne B\u00e4ume')
    assert.equal(await isPassword('fu\u0308nf gru\u0308ne Ba\u0308ume', stored), true)
  })

  test('have 12 to 128 characters and are not among those that are tried first', () => {
    assert.equal(passwordProblem('elf Zeichen'), 'too_short')
    assert.equal(passwordProblem('🦆'.repeat(11)), 'too_short')
    assert.equal(passwordProblem('langer satz '.repeat(11)), 'too_long')
    const common = `123456789012 qwertyuiop12 passwordpassword Password1234! P@ssw0rd12345 iloveyou1234 abcdefghijkl
      qazwsxedcrfv aaaaaaaaaaaa abcabcabcabc administrator1 qwerty123456 letmein12345 Sommer2026!! zaq12wsxcde3
      trustno1trustno1 1q2w3e4r5t6y chelsea123456 metallica1234 wolke-wolke-wolke 987654321098
      SonyEricsson 102030405060 thecakeisalie lost4815162342 weihnachtsbaum q1w2e3r4t5y6u7i8`
    for (const password of common.split(/\s+/)) assert.equal(passwordProblem(password), 'too_common', password)
    const own = ['jana@nordlicht.example', 'Jana Nord']
    for (const password of ['jana@nordlicht.example', 'Jana-Nordlicht-2026', 'jana nord jana']) {
      assert.equal(passwordProblem(password, own), 'too_common', password)
    }
    for (const password of [
      'correct horse battery',
      'xk3jqp8vzmwq',
      'sieben blaue Teller',
      'a long passphrase',
      'ёжик в тумане',
    ]) {
      assert.equal(passwordProblem(password, own), undefined, password)
      assert.equal(commonPassword(password), false)
    }
  })
})

/** The modules of a picture, true for dark ones, without the light ones around them. */
function modulesOf(picture: string): boolean[][] {
  const side = Number(/viewBox="0 0 (\d+) /.exec(picture)?.[1]) - 8
  const dark = new Set([...picture.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`))
  return Array.from({ length: side }, (_, y) => Array.from({ length: side }, (_, x) => dark.has(`${x + 4} ${y + 4}`)))
}

describe('QR codes', () => {
  test('are those that an independent reader has read', () => {
    const uri = 'otpauth://totp/Wolke:jana%40nordlicht.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Wolke'
    const modules = modulesOf(qrSvg(uri, 'Wolke'))
    assert.equal(modules.length, 37)
    const digest = '032f476f0f6b7e12a6e92a9cea79e9fea45a3749497fdb7cb5ec06334533b9c3'
    assert.equal(hash('sha256', JSON.stringify(modules)), digest)
  })

  test('grow with the text, as far as the longest account has it, and their pictures have no script or style', () => {
    const longest = totpUri(newTotpSecret(), `${'+'.repeat(64)}@${'x.'.repeat(94)}x`, 'Wolke')
    const sizes = [1, 17, 18, 100, 271, longest.length].map((length) => modulesOf(qrSvg('x'.repeat(length), '')).length)
    assert.deepEqual(sizes, [21, 21, 25, 37, 57, 73])
    const picture = qrSvg('text', '<script>"')
    assert.match(picture, /^<svg [^<]*aria-label="&#60;script&#62;&#34;"><path [^<]*\/><path [^<]*\/><\/svg>$/)
    assert.ok(!picture.includes('style'))
  })
})

describe('cookies', () => {
  test('are guarded where browsers guard them', () => {
    for (const origin of [
      'https://a.example',
      'http://localhost:1',
      'http://x.localhost',
      'http://127.0.0.1',
      'http://[::1]:1',
    ]) {
      assert.equal(isSecurePlace(origin), true, origin)
    }
    for (const origin of ['http://a.example', 'http://192.0.2.1', 'http://localhost.example', 'http://notlocalhost']) {
      assert.equal(isSecurePlace(origin), false, origin)
    }
    assert.deepEqual(
      ['https://a.example', 'https://192.0.2.1', 'http://127.0.0.1', 'http://[::1]', 'http://localhost'].map(
        canHavePasskeys,
      ),
      [true, false, false, false, true],
    )
    const place = { origin: 'https://a.example', installation: '1a2b3c' }
    assert.equal(cookieName(place, 'session'), '__Host-wolke-1a2b3c')
    assert.equal(setCookie(place, 'sign-in', 'x'), '__Host-wolke-1a2b3c-step=x; Path=/; HttpOnly; SameSite=Lax; Secure')
    assert.equal(
      setCookie({ ...place, origin: 'http://a.example' }, 'session', '', 0),
      'wolke-1a2b3c=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    )
  })

  test('that were sent twice do not count', () => {
    assert.equal(readCookie('a=1; b=2', 'b'), '2')
    assert.equal(readCookie('b=1; b=2', 'b'), undefined)
    assert.equal(readCookie('xb=1', 'b'), undefined)
    assert.equal(readCookie(undefined, 'b'), undefined)
  })
})
