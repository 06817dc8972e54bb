/** Random requests from the schemas of the contract, with references to resources that are there. */
import fc from 'fast-check'

/** What references may name, by the field that names it. */
export type References = Readonly<Record<string, readonly (string | number)[]>>

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

const address = fc.tuple(fc.nat(255), fc.integer({ min: 1, max: 254 })).map(([a, b]) => `10.1.${a}.${b}`)
const network = fc.oneof(
  fc.nat(255).map((a) => `10.${a}.0.0/16`),
  fc.nat(0xffff).map((a) => `2001:db8:${(a + 1).toString(16)}::/48`),
)
const privateNetwork = fc.nat(255).map((a) => `10.${a}.0.0/16`)

/** Text that shells and languages of configuration read as something else where it is not quoted. */
export const hostile: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "'",
        '"',
        '\\',
        '$HOME',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what must not be a template
        '${x}',
        '%{if}',
        '$(id)',
        '`id`',
        '\n',
        '\t',
        ' ',
        '--',
        '-x',
        '!',
        '#',
        '~',
      ),
      fc.constantFrom(
        'ä',
        '日本',
        '🙂',
        '*',
        '?',
        '&&',
        '|',
        ';',
        '<',
        '>',
        '\\n',
        '$$',
        '%%',
        '$${',
        ',',
        '=',
        '@',
        '%',
      ),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''))

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
const labels = fc.dictionary(
  fc.oneof(
    word,
    word.map((key) => `example.com/${key}`),
  ),
  fc.oneof(word, fc.constant('')),
  {
    maxKeys: 3,
  },
)

/** Texts with a meaning of their own, by field. */
const texts: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ip: address,
  gateway: address,
  alias_ips: address,
  ip_range: privateNetwork,
  destination: privateNetwork,
  source_ips: network,
  destination_ips: network,
  port: fc.constantFrom('80', '1024-5000', 'any'),
  status_codes: fc.constantFrom('2??', '200', '30?'),
  dns_ptr: word.map((name) => `${name}.example.com`),
  domain_names: word.map((name) => `${name}.example.com`),
  selector: word.map((key) => `${key}=a,!b`),
  network_zone: fc.constant('eu-central'),
}

/** A value that a schema accepts; `field` is the name of what it stands in. */
export function accepted(schema: Schema, field: string, references: References): fc.Arbitrary<unknown> {
  if (field === 'labels') return labels
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => accepted(one, field, references)))
  const known = references[field]
  if (known && (schema.type === 'integer' || schema.type === 'string')) {
    const fitting = known.filter((value) => typeof value === (schema.type === 'integer' ? 'number' : 'string'))
    return fc.constantFrom(...(fitting.length > 0 ? fitting : known))
  }
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) })
    case 'string':
      return texts[field] ?? hostile.map((text) => text.slice(0, schema.maxLength).padEnd(schema.minLength ?? 0, 'x'))
    case 'array': {
      const items = accepted(schema.items ?? {}, field, references)
      const bounds = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 3, 3) }
      return fc.uniqueArray(items, { ...bounds, selector: (value) => JSON.stringify(value) })
    }
    case 'object':
      return objectOf(schema, field, references)
    default:
      return fc.constant(undefined)
  }
}

function objectOf(schema: Schema, field: string, references: References): fc.Arbitrary<object> {
  // The id of an object is that of what the object is named after.
  const own: References = references[field] ? { ...references, id: references[field] } : references
  const fields = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, accepted(one, name, own)] as const)
  const model = Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>
  return fc.record(model, { requiredKeys: [...(schema.required ?? [])] })
}
