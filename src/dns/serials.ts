/** Serials of zones, which wrap around. */

/** Tells whether a serial is newer than another one (RFC 1982, 3.2). */
export function isNewer(serial: number, known: number): boolean {
  const distance = (serial - known) >>> 0
  return distance !== 0 && distance < 2 ** 31
}
