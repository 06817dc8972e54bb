/**
 * QR codes (ISO/IEC 18004) as SVG: bytes, error correction level L, versions 1 to 10, which hold 271 bytes. Enough for
 * the addresses that apps for one-time codes read.
 */

/** Codewords of data, and correction codewords of each block, by version at level L; blocks of nearly equal size. */
const versions = [
  { data: 19, correction: 7, blocks: 1, align: [] },
  { data: 34, correction: 10, blocks: 1, align: [6, 18] },
  { data: 55, correction: 15, blocks: 1, align: [6, 22] },
  { data: 80, correction: 20, blocks: 1, align: [6, 26] },
  { data: 108, correction: 26, blocks: 1, align: [6, 30] },
  { data: 136, correction: 18, blocks: 2, align: [6, 34] },
  { data: 156, correction: 20, blocks: 2, align: [6, 22, 38] },
  { data: 194, correction: 24, blocks: 2, align: [6, 24, 42] },
  { data: 232, correction: 30, blocks: 2, align: [6, 26, 46] },
  { data: 274, correction: 18, blocks: 4, align: [6, 28, 50] },
] as const

type Version = (typeof versions)[number]
/** Rows of modules; undefined is not decided yet. */
type Grid = (boolean | undefined)[][]

/** The modules of a QR code, true for dark ones. Errors: a text of more than 271 bytes. */
export function qrModules(text: string): boolean[][] {
  const bytes = Buffer.from(text)
  const index = versions.findIndex(({ data }, i) => bytes.length + (i < 9 ? 2 : 3) <= data)
  const version = versions[index]
  if (!version) throw new Error('the text is too long for a QR code')
  const codewords = interleave(version, dataOf(bytes, version, index < 9 ? 8 : 16))
  const size = 21 + 4 * index
  const candidates = Array.from({ length: 8 }, (_, mask) => draw(size, index + 1, version, codewords, mask))
  return candidates.reduce((best, one) => (penalty(one) < penalty(best) ? one : best))
}

/** A QR code as an SVG picture that is dark on white in every theme. */
export function qrSvg(text: string, title: string): string {
  const modules = qrModules(text)
  const quiet = 4
  const side = modules.length + 2 * quiet
  const path = modules
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + quiet} ${y + quiet}h1v1h-1z`] : [])))
    .join('')
  const label = title.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges" role="img" aria-label="${label}"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path fill="#000" d="${path}"/></svg>`
}

function dataOf(bytes: Buffer, { data }: Version, lengthBits: number): number[] {
  const bits = ['0100', bytes.length.toString(2).padStart(lengthBits, '0')]
  for (const byte of bytes) bits.push(byte.toString(2).padStart(8, '0'))
  const all = bits.join('')
  const ended = all + '0'.repeat(Math.min(4, data * 8 - all.length))
  const words = (ended.match(/.{1,8}/g) ?? []).map((eight) => Number.parseInt(eight.padEnd(8, '0'), 2))
  for (let i = 0; words.length < data; i++) words.push(i % 2 === 0 ? 0xec : 0x11)
  return words
}

// ---- Error correction ----------------------------------------------------------------------------------------------

const exponents: number[] = []
const logarithms: number[] = []
for (let i = 0, value = 1; i < 255; i++) {
  exponents[i] = value
  logarithms[value] = i
  value = value & 0x80 ? (value << 1) ^ 0x11d : value << 1
}
const times = (a: number, b: number) => (a && b ? exponents[(logarithms[a]! + logarithms[b]!) % 255]! : 0)

function correctionOf(data: readonly number[], count: number): number[] {
  let generator = [1]
  for (let i = 0; i < count; i++) {
    const next = new Array<number>(generator.length + 1).fill(0)
    for (const [at, factor] of generator.entries()) {
      next[at]! ^= factor
      next[at + 1]! ^= times(factor, exponents[i]!)
    }
    generator = next
  }
  const rest = [...data, ...new Array<number>(count).fill(0)]
  for (let i = 0; i < data.length; i++) {
    const factor = rest[i]!
    for (const [at, part] of generator.entries()) rest[i + at]! ^= times(part, factor)
  }
  return rest.slice(data.length)
}

function interleave({ data, correction, blocks }: Version, words: readonly number[]): number[] {
  const short = Math.floor(data / blocks)
  const parts: number[][] = []
  for (let i = 0, at = 0; i < blocks; i++) {
    const length = short + (i >= blocks - (data % blocks) ? 1 : 0)
    parts.push(words.slice(at, at + length))
    at += length
  }
  const corrections = parts.map((part) => correctionOf(part, correction))
  const across = (rows: number[][]) =>
    Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, i) =>
      rows.flatMap((row) => (i < row.length ? [row[i]!] : [])),
    ).flat()
  return [...across(parts), ...across(corrections)]
}

// ---- The picture ---------------------------------------------------------------------------------------------------

const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

function draw(size: number, number: number, version: Version, codewords: readonly number[], mask: number): boolean[][] {
  const grid: Grid = Array.from({ length: size }, () => new Array<boolean | undefined>(size).fill(undefined))
  drawPatterns(grid, version)
  drawFormat(grid, mask)
  if (number >= 7) drawVersion(grid, number)
  const bits = codewords.flatMap((word) => Array.from({ length: 8 }, (_, i) => ((word >> (7 - i)) & 1) === 1))
  let next = 0
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right--
    const isUp = ((right + 1) & 2) === 0
    for (let step = 0; step < size; step++) {
      for (const x of [right, right - 1]) {
        const y = isUp ? size - 1 - step : step
        if (grid[y]![x] === undefined) grid[y]![x] = (bits[next++] ?? false) !== masks[mask]!(x, y)
      }
    }
  }
  return grid as boolean[][]
}

function drawPatterns(grid: Grid, { align }: Version): void {
  const size = grid.length
  const put = (x: number, y: number, dark: boolean) => {
    if (x >= 0 && y >= 0 && x < size && y < size) grid[y]![x] = dark
  }
  const square = (cx: number, cy: number, reach: number, light: readonly number[]) => {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        put(cx + dx, cy + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))))
      }
    }
  }
  for (let i = 0; i < size; i++) {
    put(6, i, i % 2 === 0)
    put(i, 6, i % 2 === 0)
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    square(x, y, 4, [2, 4])
  }
  const last = align.length - 1
  for (const [i, y] of align.entries()) {
    for (const [j, x] of align.entries()) {
      const isFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)
      if (!isFinder) square(x, y, 2, [1])
    }
  }
}

function drawFormat(grid: Grid, mask: number): void {
  const size = grid.length
  const data = (1 << 3) | mask
  const bits = ((data << 10) | remainder(data << 10, 0x537, 10)) ^ 0x5412
  for (let i = 0; i < 15; i++) {
    const dark = ((bits >> i) & 1) === 1
    const beside = i < 6 ? i : i < 8 ? i + 1 : size - 15 + i
    const below = i < 8 ? size - 1 - i : i === 8 ? 7 : 14 - i
    grid[beside]![8] = dark
    grid[8]![below] = dark
  }
  grid[size - 8]![8] = true
}

function drawVersion(grid: Grid, number: number): void {
  const size = grid.length
  const bits = (number << 12) | remainder(number << 12, 0x1f25, 12)
  for (let i = 0; i < 18; i++) {
    const dark = ((bits >> i) & 1) === 1
    const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)]
    grid[b]![a] = dark
    grid[a]![b] = dark
  }
}

function remainder(value: number, divisor: number, degree: number): number {
  let rest = value
  for (let bit = 31; bit >= degree; bit--) if ((rest >> bit) & 1) rest ^= divisor << (bit - degree)
  return rest
}

/** Rates how hard a picture is to read (8.8.2). */
function penalty(grid: readonly (readonly boolean[])[]): number {
  const columns = grid[0]!.map((_, x) => grid.map((row) => row[x]!))
  let total = 0
  for (const line of [...grid, ...columns]) {
    const text = line.map((dark) => (dark ? '1' : '0')).join('')
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) total += run.length - 2
    total += 40 * [...text.matchAll(/(?=00001011101|10111010000)/g)].length
  }
  let dark = 0
  for (const [y, row] of grid.entries()) {
    for (const [x, one] of row.entries()) {
      if (one) dark++
      const next = grid[y + 1]
      if (next && x + 1 < row.length && one === row[x + 1] && one === next[x] && one === next[x + 1]) total += 3
    }
  }
  return total + 10 * Math.floor(Math.abs((dark * 20) / (grid.length * grid.length) - 10))
}
