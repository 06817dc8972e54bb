/**
 * A text console is sent texts for the keys of a viewer, which come as X11 keysyms: Shift and AltGr are in them already,
 * Control and Alt are not.
 */

const leftControl = 0xffe3
const rightControl = 0xffe4
/** Alt and Meta, left and right. */
const alts: ReadonlySet<number> = new Set([0xffe7, 0xffe8, 0xffe9, 0xffea])
const shifts: ReadonlySet<number> = new Set([0xffe1, 0xffe2])
const esc = '\x1b'

/** Keys that always send the same. */
const plain: Readonly<Record<number, string>> = {
  65288: '\x7f', // Backspace
  65289: '\t',
  65056: `${esc}[Z`, // Shift and Tab
  65290: '\n',
  65293: '\r',
  65421: '\r', // Enter on the keypad
  65307: esc,
}

/** Keys that move the cursor, by the last character of their sequences. */
const cursor: Readonly<Record<number, string>> = {
  65360: 'H', // Home
  65361: 'D', // left
  65362: 'A', // up
  65363: 'C', // right
  65364: 'B', // down
  65367: 'F', // End
  // The same on the keypad.
  65429: 'H',
  65430: 'D',
  65431: 'A',
  65432: 'C',
  65433: 'B',
  65436: 'F',
}

/** Keys that are told by a number: Insert, Delete, Page Up, Page Down, then the function keys from F5 on. */
const numbered: Readonly<Record<number, number>> = {
  65379: 2,
  65535: 3,
  65365: 5,
  65366: 6,
  65438: 2,
  65439: 3,
  65434: 5,
  65435: 6,
  ...Object.fromEntries([15, 17, 18, 19, 20, 21, 23, 24].map((code, at) => [0xffc2 + at, code])),
}

/** F1 to F4. */
const firstFunctions: Readonly<Record<number, string>> = { 65470: 'P', 65471: 'Q', 65472: 'R', 65473: 'S' }

/** The keys of the keypad that write something. */
const keypad: Readonly<Record<number, string>> = {
  ...Object.fromEntries([...'0123456789'].map((digit, at) => [0xffb0 + at, digit])),
  65408: ' ',
  65450: '*',
  65451: '+',
  65452: ',',
  65453: '-',
  65454: '.',
  65455: '/',
  65469: '=',
}

/** Keysyms of Unicode begin here; the ones below 0x100 are those of Latin-1. */
const unicode = 0x01000000

/** The keyboard of one viewer. */
export class Keyboard {
  readonly #down = new Set<number>()

  /** Returns what the console is sent when a key goes down or up; nothing for keys that only change others. */
  key(keysym: number, isDown: boolean, hasApplicationKeys: boolean): string {
    if (isModifier(keysym)) {
      if (isDown) this.#down.add(keysym)
      else this.#down.delete(keysym)
      return ''
    }
    return isDown ? this.#press(keysym, hasApplicationKeys) : ''
  }

  get #hasControl(): boolean {
    return this.#down.has(leftControl) || this.#down.has(rightControl)
  }

  #press(keysym: number, hasApplicationKeys: boolean): string {
    const isAlt = [...alts].some((key) => this.#down.has(key))
    const sequence = this.#sequence(keysym, isAlt, hasApplicationKeys)
    if (sequence !== undefined) return sequence
    const char = plain[keysym] ?? keypad[keysym] ?? charOf(keysym)
    const sent = this.#hasControl ? controlled(char) : char
    return isAlt && sent !== '' ? `${esc}${sent}` : sent
  }

  /** The sequence of a key that writes nothing, in the way of xterm: a second parameter says which modifiers are held. */
  #sequence(keysym: number, isAlt: boolean, hasApplicationKeys: boolean): string | undefined {
    const isShift = [...shifts].some((key) => this.#down.has(key))
    const held = 1 + Number(isShift) + 2 * Number(isAlt) + 4 * Number(this.#hasControl)
    const code = numbered[keysym]
    if (code !== undefined) return `${esc}[${code}${held > 1 ? `;${held}` : ''}~`
    const end = cursor[keysym] ?? firstFunctions[keysym]
    if (end === undefined) return undefined
    if (held > 1) return `${esc}[1;${held}${end}`
    return `${esc}${hasApplicationKeys || keysym in firstFunctions ? 'O' : '['}${end}`
  }
}

function isModifier(keysym: number): boolean {
  return keysym === leftControl || keysym === rightControl || alts.has(keysym) || shifts.has(keysym)
}

function charOf(keysym: number): string {
  if ((keysym >= 0x20 && keysym <= 0x7e) || (keysym >= 0xa0 && keysym <= 0xff)) return String.fromCharCode(keysym)
  const point = keysym - unicode
  return point >= 0x100 && point <= 0x10ffff ? String.fromCodePoint(point) : ''
}

/** Control makes this of a character: that of the same place in the first column of ASCII. */
function controlled(char: string): string {
  if (char === ' ') return '\0'
  if (char === '?') return '\x7f'
  if (/^[@-_a-z]$/.test(char)) return String.fromCharCode(char.toUpperCase().charCodeAt(0) & 0x1f)
  return char
}
