import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Keyboard } from './keyboard.ts'

const [control, shift, alt, altGr] = [0xffe3, 0xffe1, 0xffe9, 0xfe03] as const

/** What is sent when keys go down one after the other and up again. */
function typed(keysyms: readonly number[], hasApplicationKeys = false): string {
  const keyboard = new Keyboard()
  const down = keysyms.map((key) => keyboard.key(key, true, hasApplicationKeys))
  return [...down, ...keysyms.toReversed().map((key) => keyboard.key(key, false, hasApplicationKeys))].join('')
}

test('keys send what a terminal sends for them', () => {
  const cases: [string, readonly number[], string][] = [
    ['a', [0x61], 'a'],
    ['Shift and A', [shift, 0x41], 'A'],
    ['AltGr and @', [altGr, 0x40], '@'],
    ['é of Latin-1', [0xe9], 'é'],
    ['€ of Unicode', [0x010020ac], '€'],
    ['a key of an emoji', [0x0101f600], '😀'],
    ['Enter', [0xff0d], '\r'],
    ['Enter on the keypad', [0xff8d], '\r'],
    ['7 on the keypad', [0xffb7], '7'],
    ['Backspace', [0xff08], '\x7f'],
    ['Tab', [0xff09], '\t'],
    ['Shift and Tab', [shift, 0xfe20], '\x1b[Z'],
    ['Escape', [0xff1b], '\x1b'],
    ['Control and C', [control, 0x63], '\x03'],
    ['Control, Shift and C', [control, shift, 0x43], '\x03'],
    ['Control and Space', [control, 0x20], '\0'],
    ['Control and [', [control, 0x5b], '\x1b'],
    ['Control and _', [control, 0x5f], '\x1f'],
    ['Control and 1', [control, 0x31], '1'],
    ['Alt and B', [alt, 0x62], '\x1bb'],
    ['Alt, Control and C', [alt, control, 0x63], '\x1b\x03'],
    ['up', [0xff52], '\x1b[A'],
    ['Control and right', [control, 0xff53], '\x1b[1;5C'],
    ['Home', [0xff50], '\x1b[H'],
    ['Delete', [0xffff], '\x1b[3~'],
    ['Shift and Page Up', [shift, 0xff55], '\x1b[5;2~'],
    ['F1', [0xffbe], '\x1bOP'],
    ['F5', [0xffc2], '\x1b[15~'],
    ['F12', [0xffc9], '\x1b[24~'],
    ['Shift alone', [shift], ''],
    ['Caps Lock', [0xffe5], ''],
    ['a key that nobody knows', [0xdeadbeef], ''],
  ]
  for (const [name, keysyms, expected] of cases) assert.equal(typed(keysyms), expected, name)
})

test('arrow keys follow what the program has asked for', () => {
  assert.equal(typed([0xff51], true), '\x1bOD')
  assert.equal(typed([0xff51], false), '\x1b[D')
  assert.equal(typed([control, 0xff51], true), '\x1b[1;5D')
})

test('modifiers hold until they are released', () => {
  const keyboard = new Keyboard()
  const keys: [number, boolean][] = [
    [control, true],
    [0x63, true],
    [0x63, false],
    [control, false],
    [0x63, true],
  ]
  assert.equal(keys.map(([key, isDown]) => keyboard.key(key, isDown, false)).join(''), '\x03c')
})
