/** Valid values for a schema, and hostile values. */
import type { Random } from '../random.ts'

/** The part of JSON Schema that the OpenAPI document uses for input. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
}

const nastyTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202e\u2066',
  '\uffff',
  '😀'.repeat(40),
  'e\u0301'.repeat(100),
  'x'.repeat(64),
  'x'.repeat(65),
  'x'.repeat(256),
  'x'.repeat(70_000),
  "'; drop table server; --",
  '../../etc/passwd',
  '%00',
  '__proto__',
  'constructor',
  '-1',
  '1e999',
  '9223372036854775808',
  '0.0.0.0/0',
  '::ffff:1.2.3.4',
  '2026-02-30T25:61:00Z',
  '*',
  '\\',
  '"',
  '\r\nSet-Cookie: a=b',
]

/** Numbers beyond 32 bits, beyond JavaScript and the databases, and non-integers. */
const nastyNumbers = [
  ...['0', '-0', '-1', '1.5', '1e3', '2147483648', '4294967296', '4503599627370496', '9007199254740993'],
  ...['9223372036854775807', '9223372036854775808', '18446744073709551616', '1e19', '1e308', '-1e308', '0.1e-400'],
]

// JSON can express numbers that JavaScript cannot; TypeScript does not declare rawJSON yet.
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON

/** Values of unexpected types. */
const nastyValues: readonly unknown[] = [
  ...nastyTexts,
  ...nastyNumbers.map(rawJson),
  ...[null, true, false, [], {}],
  ...nastyTexts.slice(0, 6).flatMap((text) => [Array<string>(51).fill(text), { [text]: text }]),
  Array<number>(1_001).fill(1),
  ...nastyNumbers.slice(-6).map((number) => ({ id: rawJson(number) })),
]

/** Hostile values for paths and queries, where everything is text. */
export const allNastyTexts: readonly string[] = [...nastyTexts, ...nastyNumbers]

/** Yields copies of a value with one hostile part each: for each place, a share of all hostile values. */
export function* spoiled(value: unknown, random: Random, share: number): Generator<unknown> {
  for (const bad of nastyValues) if (random.chance(share)) yield bad
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    for (const bad of spoiled(part, random, share)) {
      yield Array.isArray(value) ? value.with(Number(key), bad) : { ...value, [key]: bad }
    }
  }
}

export interface Taste {
  readonly random: Random
  /** A value for a field, whose schema alone is often not enough; undefined when there is none. */
  known(name: string): unknown
  /** The probability of a hostile value. */
  readonly nastiness: number
}

/** Generates a value for a field with this schema. */
export function valueFor(schema: Schema, name: string, taste: Taste): unknown {
  const { random, nastiness } = taste
  if (random.chance(nastiness)) return random.pick(nastyValues)
  const usual = random.chance(0.9) ? taste.known(name) : undefined
  if (usual !== undefined) return usual
  if (schema.enum) return random.pick(schema.enum)
  if (schema.anyOf) return valueFor(random.pick(schema.anyOf), name, taste)
  switch (schema.type) {
    case 'object':
      return objectFor(schema, taste)
    case 'array': {
      const length = Math.max(schema.minItems ?? 0, random.below(4))
      return Array.from({ length }, () => valueFor(schema.items ?? {}, name, taste))
    }
    case 'integer':
    case 'number':
      return Math.min(schema.maximum ?? 1_000, (schema.minimum ?? 0) + random.below(1_000))
    case 'boolean':
      return random.chance(0.5)
    case 'string':
      return `text-${random.below(50)}`
    default:
      return null
  }
}

function objectFor({ properties = {}, required = [] }: Schema, taste: Taste): Record<string, unknown> {
  const wanted = Object.entries(properties).filter(([name]) =>
    taste.random.chance(required.includes(name) ? 1 - taste.nastiness : 0.4),
  )
  const made = Object.fromEntries(wanted.map(([name, schema]) => [name, valueFor(schema, name, taste)]))
  // An object without declared properties holds labels.
  return Object.keys(properties).length > 0 ? made : { [`key-${taste.random.below(3)}`]: `v${taste.random.below(3)}` }
}
