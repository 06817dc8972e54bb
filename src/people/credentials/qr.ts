/** QR codes as SVG, for apps that read the addresses of one-time codes. */
import { encode } from 'uqr'

/** Modules around a code that stay light (ISO/IEC 18004). */
const quiet = 4

/** A QR code of the lowest error correction, as an SVG picture that is dark on white in every theme. */
export function qrSvg(text: string, title: string): string {
  const { data, size } = encode(text, { ecc: 'L', border: quiet })
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  const label = title.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" role="img" aria-label="${label}"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></svg>`
}
