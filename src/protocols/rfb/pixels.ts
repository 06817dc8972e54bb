/** Pixels as a viewer wants them (RFC 6143, 7.4), and the two colours of a text screen in that form. */

export interface PixelFormat {
  readonly bitsPerPixel: 8 | 16 | 32
  readonly isBigEndian: boolean
  /** Largest value and position of red, green and blue; null when pixels are places in a table of colours. */
  readonly colors: readonly { readonly most: number; readonly shift: number }[] | null
}

/** The form that a server offers. */
export const offeredFormat: PixelFormat = {
  bitsPerPixel: 32,
  isBigEndian: false,
  colors: [16, 8, 0].map((shift) => ({ most: 255, shift })),
}

/** Red, green and blue of what is behind letters, and of letters. */
export const palette = [
  [0, 0, 0],
  [170, 170, 170],
] as const

const formatLength = 16

/** Reads a pixel format; undefined for one that is impossible. */
export function readPixelFormat(bytes: Buffer): PixelFormat | undefined {
  const bitsPerPixel = bytes[0]
  if (bitsPerPixel !== 8 && bitsPerPixel !== 16 && bitsPerPixel !== 32) return undefined
  const isBigEndian = bytes[2] !== 0
  if (bytes[3] === 0) return { bitsPerPixel, isBigEndian, colors: null }
  const colors = [0, 1, 2].map((at) => ({ most: bytes.readUInt16BE(4 + 2 * at), shift: bytes[10 + at]! }))
  if (colors.some(({ most, shift }) => shift > 31 || most * 2 ** shift >= 2 ** bitsPerPixel)) return undefined
  return { bitsPerPixel, isBigEndian, colors }
}

/** Writes a pixel format with true colours. */
export function writePixelFormat({ bitsPerPixel, isBigEndian, colors }: PixelFormat): Buffer {
  const bytes = Buffer.alloc(formatLength)
  bytes.set([bitsPerPixel, 24, isBigEndian ? 1 : 0, colors ? 1 : 0])
  for (const [at, { most, shift }] of (colors ?? []).entries()) {
    bytes.writeUInt16BE(most, 4 + 2 * at)
    bytes[10 + at] = shift
  }
  return bytes
}

/** The colours of the palette as pixels. */
export function pixelsOf({ bitsPerPixel, isBigEndian, colors }: PixelFormat): readonly Buffer[] {
  return palette.map((rgb, index) => {
    const value = colors?.reduce(
      (sum, { most, shift }, at) => sum + Math.round((rgb[at]! * most) / 255) * 2 ** shift,
      0,
    )
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value ?? index)
    const pixel = bytes.subarray(0, bitsPerPixel / 8)
    return isBigEndian ? pixel.reverse() : pixel
  })
}
