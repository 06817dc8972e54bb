/** Tells the server when nobody is there: what a page asks by itself keeps no session alive. */

const awayMs = 60_000

let seenAt = Date.now()

function beSeen(): void {
  seenAt = Date.now()
}

for (const sign of ['pointerdown', 'keydown']) addEventListener(sign, beSeen, true)

/** The headers of what a page asks when nobody has done anything for a minute. */
export const presence = () => (Date.now() - seenAt > awayMs ? { 'wolke-background': '1' } : {})
