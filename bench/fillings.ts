/** The worst inputs of a parser by name, each of which can be made in any size in bytes. */
export type Inputs<T> = Iterable<readonly [name: string, make: (size: number) => T]>

/** Texts are filled with these: grammars have many of them, or they make patterns go back. */
export const units = [
  ...['a', 'A', '1', '0', '_', '-', '.', ':', '=', ' ', ',', ';', '/', '%41', '(', '"', '\\', '\n', '\0', '~'],
  ...['a.', 'a-', '1:', '::', '1.', '\\065', '"" ', 'x"', '; ', '=,', '1h', '11:', 'xn--', '-a', '..', '()'],
  ...['\u00e9', 'e\u0301', '\ud83d\ude00', '-----BEGIN A-----', '-----BEGIN A-----\n-----END A-----\n'],
]

/** A unit as often as a size in bytes holds it. */
export function fill(unit: string, size: number): string {
  return unit.repeat(Math.max(1, Math.floor(size / Buffer.byteLength(unit))))
}
