import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EmulatedScreen } from './emulator.ts'
import { columns, lines } from './text-screen.ts'

/** A screen after some writes; the cursor is shown as `_`. */
async function after(...writes: (string | Buffer)[]) {
  const replies: string[] = []
  const screen = await EmulatedScreen.open((text) => replies.push(text))
  for (const bytes of writes) await written(screen, bytes)
  return { screen, replies, text: textOf(screen) }
}

const written = (screen: EmulatedScreen, bytes: string | Buffer) =>
  new Promise<void>((resolve) => void screen.write(bytes, () => resolve()))

const textOf = ({ shown }: EmulatedScreen) =>
  shown
    .map((line) => line.replace('\x7f', '_').trimEnd())
    .join('\n')
    .trimEnd()

test('a text console is shown as a terminal shows it', async () => {
  const cases: [string, string][] = [
    ['', '_'],
    ['login: root\r\nPassword: ', 'login: root\nPassword: _'],
    ['one\rtwo', 'two_'],
    ['\x1b[1;31mred\x1b[0m\x1b[7mturned\x1b[0m', 'redturned_'],
    ['abc\x1b[2D', 'a_c'],
    ['gone\x1b[2J\x1b[Hnew', 'new_'],
    ['\x1b[3;5Hthere', '\n\n    there_'],
    ['secret:\x1b[8mhidden', 'secret:      _'],
    ['├─\u2500 \u25cf caf\u00e9 \u6f22', '+-- * caf? ? _'],
    ['\x1b]0;a title\x07text', 'text_'],
    ['old\x1b[?1049h\x1b[Hedit', 'edit_'],
    ['old\x1b[?1049h\x1b[Hedit\x1b[?1049l', 'old_'],
  ]
  for (const [bytes, expected] of cases) assert.equal((await after(bytes)).text, expected, JSON.stringify(bytes))
})

test('characters and sequences that come in pieces are put together', async () => {
  const [first, ...rest] = Buffer.from('\x1b[2;3H│\x1b[1mx')
  assert.equal((await after(Buffer.of(first!), ...rest.map((byte) => Buffer.of(byte)))).text, '\n  |x_')
})

test('lines scroll, and the cursor stays on the screen', async () => {
  const { screen, text } = await after(Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\r\n'))
  assert.equal(text, `${Array.from({ length: lines }, (_, at) => `line ${at + 5}`).join('\n')}_`)
  const full = await after('x'.repeat(columns))
  assert.equal(full.text, `${'x'.repeat(columns - 1)}_`)
  assert.deepEqual(
    [...new Set([screen, full.screen].flatMap(({ shown }) => shown.map((line) => line.length)))],
    [columns],
  )
  assert.equal(screen.shown.length, lines)
})

test('whoever looks is told of a change, until they stop', async () => {
  const { screen } = await after()
  let count = 0
  const stop = screen.onChange(() => count++)
  await written(screen, 'a')
  stop()
  await written(screen, 'b')
  assert.equal(count, 1)
})

test('a program gets what it asks the terminal for', async () => {
  const { replies, screen } = await after('ab\x1b[6n', '\x1b[?1h')
  assert.deepEqual(replies, ['\x1b[1;3R'])
  assert.equal(screen.hasApplicationKeys, true)
})

test('no sequence keeps the process busy for ever', async () => {
  const finals = Array.from({ length: 0x7e - 0x40 + 1 }, (_, at) => String.fromCharCode(0x40 + at))
  const prefixes = ['', '?', '>', '=']
  for (const final of finals) {
    for (const prefix of prefixes) {
      const sequence = `\x1b[${prefix}2147483647;2147483647;2147483647${final}`
      const { screen } = await after(`x${sequence}`)
      screen.destroy()
    }
  }
})

test('a program that writes without end is slowed down', async (t) => {
  const { screen } = await after()
  // Each look at the clock is a millisecond later than the one before, and nobody really rests.
  let now = 0
  t.mock.method(performance, 'now', () => ++now)
  const rests: number[] = []
  const { setTimeout: really } = globalThis
  t.mock.method(globalThis, 'setTimeout', (done: () => void, ms = 0) => {
    rests.push(ms)
    return really(done)
  })
  for (let count = 0; count < 3; count++) await written(screen, 'y\r\n'.repeat(2_000))
  const rested = rests.reduce((sum, ms) => sum + ms, 0)
  assert.ok(rested >= 2 * now, `it rested for ${rested} ms after ${now} ms`)
})
