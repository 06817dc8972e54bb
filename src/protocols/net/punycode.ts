/** Labels of international names (RFC 3492). It needs nothing of Node, so that browsers judge them in the same way. */

const base = 36
const lowest = 1
const highest = 26
const maxLabel = 63

/** The threshold of a digit, by its place in a number. */
const threshold = (place: number, bias: number) => Math.min(Math.max(place - bias, lowest), highest)

/** The text that the part of a label after `xn--` stands for; undefined when it is none. Lower case. */
function decoded(code: string): string | undefined {
  const split = code.lastIndexOf('-')
  const output = [...(split > 0 ? code.slice(0, split) : '')].map((char) => char.codePointAt(0)!)
  let [point, bias, index] = [128, 72, 0]
  const rest = split > 0 ? code.slice(split + 1) : code
  for (let at = 0; at < rest.length; ) {
    const before = index
    for (let [weight, place] = [1, base]; ; place += base) {
      const digit = digitOf(rest[at++])
      if (digit === undefined) return undefined
      index += digit * weight
      const limit = threshold(place, bias)
      if (digit < limit) break
      weight *= base - limit
      if (index > 2 ** 31 || weight > 2 ** 31) return undefined
    }
    const count = output.length + 1
    bias = adapted(index - before, count, before === 0)
    point += Math.floor(index / count)
    index %= count
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined
    output.splice(index++, 0, point)
  }
  return String.fromCodePoint(...output)
}

function digitOf(char: string | undefined): number | undefined {
  if (char === undefined) return undefined
  if (char >= 'a' && char <= 'z') return char.charCodeAt(0) - 97
  return char >= '0' && char <= '9' ? char.charCodeAt(0) - 22 : undefined
}

function adapted(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2))
  rest += Math.floor(rest / count)
  let bias = 0
  for (; rest > ((base - lowest) * highest) / 2; bias += base) rest = Math.floor(rest / (base - lowest))
  return bias + Math.floor(((base - lowest + 1) * rest) / (rest + 38))
}

/** Tells whether a label in lower case that says it is punycode is the spelling of a text that names may have. */
export function isUnicodeLabel(label: string): boolean {
  if (!label.startsWith('xn--')) return true
  if (label.length > maxLabel) return false
  // A separator with nothing before it is superfluous, but read all the same.
  const given = label.slice(4)
  const code = given.lastIndexOf('-') === 0 ? given.slice(1) : given
  const text = decoded(code)
  if (text === undefined) return false
  const url = `http://${text}`
  // The text is not the label itself, but URLs turn it into that.
  return text !== label && URL.canParse(url) && new URL(url).hostname === `xn--${code}`
}
