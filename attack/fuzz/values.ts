/** Values that a schema asks for, and values that nobody should send. */
import type { Random } from '../random.ts'

/** What the fuzz knows of JSON Schema: what the OpenAPI document uses for input. */
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

/** Beyond 32 bits, beyond what JavaScript and the databases hold, and what is no whole number. */
const nastyNumbers = [
  ...['0', '-0', '-1', '1.5', '1e3', '2147483648', '4294967296', '4503599627370496', '9007199254740993'],
  ...['9223372036854775807', '9223372036854775808', '18446744073709551616', '1e19', '1e308', '-1e308', '0.1e-400'],
]

// In JSON numbers can be written that JavaScript has not; the types do not know of this yet.
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON

/** Values that have nothing to do with what was asked for. */
const nastyValues: readonly unknown[] = [
  ...nastyTexts,
  ...nastyNumbers.map(rawJson),
  ...[null, true, false, [], {}],
  ...nastyTexts.slice(0, 6).flatMap((text) => [Array<string>(51).fill(text), { [text]: text }]),
  Array<number>(1_001).fill(1),
  ...nastyNumbers.slice(-6).map((number) => ({ id: rawJson(number) })),
]

/** For paths and queries, where everything is a text. */
export const allNastyTexts: readonly string[] = [...nastyTexts, ...nastyNumbers]

/** Copies of a value of which each has something nasty in one place: for each place, a share of all that there is. */
export function* spoiled(value: unknown, random: Random, share: number): Generator<unknown> {
  for (const bad of nastyValues) if (random.chance(share)) yield bad
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    for (const bad of spoiled(part, random, share)) {
      yield Array.isArray(value) ? value.with(Number(key), bad) : { ...value, [key]: bad }
    }
  }
}

/** Values of fields that a schema alone does not tell, by the name of the field. */
export type Known = Readonly<Record<string, (random: Random) => unknown>>

export interface Taste {
  readonly random: Random
  readonly known: Known
  /** How often a value is a nasty one instead. */
  readonly nastiness: number
}

/** A value for a field of this schema. */
export function valueFor(schema: Schema, name: string, taste: Taste): unknown {
  const { random, known, nastiness } = taste
  if (random.chance(nastiness)) return random.pick(nastyValues)
  if (known[name] && random.chance(0.9)) return known[name](random)
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
  // An object without known fields has labels.
  return Object.keys(properties).length > 0 ? made : { [`key-${taste.random.below(3)}`]: `v${taste.random.below(3)}` }
}
