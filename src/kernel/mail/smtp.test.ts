import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { SMTPServerOptions } from 'smtp-server'
import { certificate, privateKey } from '../../../test/fixtures/tls.ts'
import { openMailServer } from '../../../test/stubs/smtp.ts'
import type { ProjectId } from '../scope.ts'
import { isMailAddress } from './address.ts'
import type { Delivery } from './deliveries.ts'
import { parseSmtpUrl, smtpSender } from './smtp.ts'
import { renderMail } from './template.ts'

const password = 'p@ss/wörd:%'
const login = { user: 'cloud', pass: password }
const from = 'cloud@example.com'
const mail: Delivery = {
  id: 1,
  project_id: 1 as ProjectId,
  fence: 1,
  message_id: 'a',
  recipient: 'owner@example.org',
  created: '2026-11-21T12:00:00Z',
  attempts: 1,
  content: { subject: 'Hello', paragraphs: ['Hello.'], facts: {} },
  ageMs: 0,
}
const tls: SMTPServerOptions = { key: privateKey, cert: certificate }

/** A server that wants to know who sends, and keeps the passwords that it is shown. */
async function openGuarded(t: TestContext, options: SMTPServerOptions) {
  const passwords: unknown[] = []
  const server = await openMailServer({
    authOptional: false,
    onAuth({ password: given }, _session, done) {
      passwords.push(given)
      if (given === password) done(null, { user: 'cloud' })
      else done(new Error('who are you?'))
    },
    ...options,
  })
  t.after(() => server.close())
  const send = (secure: boolean, as = login) =>
    smtpSender({ host: 'localhost', port: server.port, secure, login: as }, from)(mail, new AbortController().signal)
  return { server, passwords, send }
}

test('an address is one plain address', () => {
  const good = [
    'a@b',
    'root@localhost',
    'first.last+tag@example.com',
    "o'neil@ex-ample.co.uk",
    `${'a'.repeat(64)}@example.com`,
  ]
  for (const address of good) assert.ok(isMailAddress(address), address)
  const bad = [
    ...[
      '',
      'a',
      '@',
      'a@',
      '@b',
      'a@@b',
      'a@b@c',
      'a b@c',
      'a@b c',
      ' a@b',
      'a@b ',
      'a@b\n',
      'a@b\r\nBcc: c@d',
      'a\u0000@b',
    ],
    ...[
      'a@b,c@d',
      'a@b;c@d',
      'A <a@b>',
      '<a@b>',
      '"a b"@c',
      'a@(x)b',
      '.a@b',
      'a.@b',
      'a..b@c',
      'a@-b',
      'a@b-',
      'a@.b',
      'a@b.',
    ],
    ...['ä@b', 'a@bä', 'a@[127.0.0.1]', `${'a'.repeat(65)}@b`, `a@${'b.'.repeat(150)}c`, `a@${'b'.repeat(64)}`],
  ]
  for (const address of bad) assert.ok(!isMailAddress(address), JSON.stringify(address))
})

test('a server is named by smtp:// or smtps://', () => {
  const host = 'mail.example.com'
  const cases: [string, ReturnType<typeof parseSmtpUrl>][] = [
    ['smtp://mail.example.com', { host, port: 25, secure: false }],
    ['smtp://mail.example.com:587/', { host, port: 587, secure: false }],
    ['smtps://mail.example.com', { host, port: 465, secure: true }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525, secure: false }],
    [`smtps://cloud:${encodeURIComponent(password)}@mail.example.com`, { host, port: 465, secure: true, login }],
    ...[
      '',
      'mail.example.com',
      'http://mail.example.com',
      'smtp://',
      'smtp:mail',
      'smtp://a/b',
      'smtp://a?logger=true',
      'smtp://a#b',
      'smtp://%zz:a@b',
      'smtp://a:99999',
    ].map((text): [string, undefined] => [text, undefined]),
  ]
  for (const [text, expected] of cases) assert.deepEqual(parseSmtpUrl(text), expected, text)
})

test('what was given becomes text in HTML, never markup', () => {
  const { text, html } = renderMail({ subject: '<s>', paragraphs: ['<p>&"'], facts: { '<l>': "<v>'" } })
  assert.match(text, /^<p>&"\n\n<l>: <v>'\n/)
  assert.match(html, /<p>&#60;p&#62;&#38;&#34;<\/p>/)
  assert.match(html, /&#60;l&#62;[\s\S]*&#60;v&#62;&#39;/)
  for (const tag of ['<s>', '<l>', '<v>']) assert.ok(!html.includes(tag))
})

test('a password is given away on an encrypted connection only, to a server whose certificate is trusted', async (t) => {
  const before = getCACertificates('default')
  t.after(() => setDefaultCACertificates(before))
  const secure = await openGuarded(t, { ...tls, secure: true })
  const upgrading = await openGuarded(t, tls)
  const plain = await openGuarded(t, { disabledCommands: ['STARTTLS'], allowInsecureAuth: true })
  await assert.rejects(secure.send(true), /self-signed/)
  await assert.rejects(upgrading.send(false), /self-signed/)
  setDefaultCACertificates([...before, certificate])
  await secure.send(true)
  await upgrading.send(false)
  await assert.rejects(plain.send(false), /STARTTLS/)
  assert.deepEqual([secure.passwords, upgrading.passwords, plain.passwords], [[password], [password], []])
  assert.deepEqual(
    [secure, upgrading, plain].map(({ server }) => server.received.length),
    [1, 1, 0],
  )
})

test('a login that is refused may be put right, and its failure does not tell the password', async (t) => {
  const before = getCACertificates('default')
  t.after(() => setDefaultCACertificates(before))
  setDefaultCACertificates([...before, certificate])
  const { send } = await openGuarded(t, { ...tls, secure: true })
  const wrong = { user: 'cloud', pass: 'not-the-password' }
  const error = await send(true, wrong).then(
    () => assert.fail('it was taken'),
    (thrown: Error) => thrown,
  )
  assert.equal(error.constructor, Error)
  assert.match(error.message, /who are you\?/)
  const shown = JSON.stringify([error.message, error.stack, Object.entries(error)])
  for (const text of [wrong.pass, Buffer.from(wrong.pass).toString('base64')]) assert.ok(!shown.includes(text))
})
