import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { serveOptions } from '../config/config.ts'
import { withoutPassword } from '../config/names.ts'
import { effectiveOptions, keepTexts } from './effective-options.ts'

/** The options of a server that is started like this. */
function startedWith(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, environment)
  try {
    const options = serveOptions()
    const texts = keepTexts(options)
    const command = new Command('serve').action(() => undefined)
    for (const option of options) command.addOption(option)
    command.parse(args, { from: 'user' })
    return effectiveOptions(command, texts, true)
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

test('each option has its value as it was given, and where it comes from', () => {
  const all = startedWith(['--vendor', 'acme', '--listen', '[::1]:8443', '--acme-allow-private'], {
    WOLKE_RATE_LIMIT: 'off',
    WOLKE_VENDOR: 'other',
  })
  const shown = (flag: string) => {
    const { value, source } = all.find((option) => option.flag === flag)!
    return [value, source]
  }
  assert.deepEqual(shown('--vendor'), ['acme', 'flag'])
  assert.deepEqual(shown('--listen'), ['[::1]:8443', 'flag'])
  assert.deepEqual(shown('--acme-allow-private'), ['on', 'flag'])
  assert.deepEqual(shown('--rate-limit'), ['off', 'environment'])
  assert.deepEqual(shown('--smtp'), [null, 'default'])
  assert.deepEqual(shown('--database'), ['sqlite:data/wolke.db', 'default'])
  assert.deepEqual(shown('--action-delay'), ['0', 'default'])
  assert.equal(all.length, serveOptions().length + 1)
})

test('no secret is among them', () => {
  const secret = 'hush-hush'
  const token = secret.padEnd(64, 'x')
  const all = startedWith(['--token', token, '--smtp', `smtps://user:${secret}@mail.example:465`], {
    WOLKE_DATABASE: `postgres://wolke:${secret}@db.example/wolke?sslmode=require`,
    WOLKE_ACME_EAB_KEY: secret,
  })
  assert.ok(!JSON.stringify(all).includes(secret))
  const smtp = all.find(({ flag }) => flag === '--smtp')
  assert.equal(smtp?.value, 'smtps://user:***@mail.example:465')
  assert.deepEqual(
    all.filter(({ source, secret }) => secret && source !== 'default').map(({ flag, value }) => [flag, value]),
    [
      ['--token', null],
      ['--acme-eab-key', null],
      ['', null],
    ],
  )
  for (const url of [`postgres://u:${secret}@h/d`, `postgres://h/d?password=${secret}&a=b`, `smtp://:a@${secret}@h`])
    assert.ok(!withoutPassword(url).includes(secret), url)
  assert.equal(withoutPassword('https://cloud.example.com:8443/a?b=c'), 'https://cloud.example.com:8443/a?b=c')
})
