/** The worst bodies that can be sent: as JSON, and as what contracts check. */
import { fill } from './fillings.ts'

/** JSON of any size that costs as much as it can. */
export const json: readonly (readonly [name: string, make: (size: number) => string])[] = [
  ['one text', (size) => `{"a":"${fill('x', size)}"}`],
  ['escapes', (size) => `{"a":"${fill('\\n', size)}"}`],
  ['escapes of code points', (size) => `{"a":"${fill('\\u0041', size)}"}`],
  ['characters of four bytes', (size) => `{"a":"${fill('\ud83d\ude00', size)}"}`],
  ['one number', (size) => `{"a":${fill('1', size)}}`],
  ['white space', (size) => `{"a":${fill(' ', size)}1}`],
  ['a key', (size) => `{"${fill('~/', size)}":1}`],
  ['many keys', (size) => `{${Array.from({ length: 999 }, (_, i) => `"${fill('~/', size / 1_000)}${i}":1`).join()}}`],
  ['many numbers', (size) => `[${fill('1,', Math.min(size, 39_000))}1,"${fill('x', size)}"]`],
  ['many lists', (size) => `[${fill('[],', Math.min(size, 28_000))}1]`],
  ['many texts', (size) => `[${Array.from({ length: 1_000 }, () => `"${fill('x', size / 1_000)}"`).join()}]`],
  ['brackets', (size) => fill('[', size)],
]

export interface Shape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly maxItems?: number
  readonly anyOf?: readonly Shape[]
}

/** Somewhat fewer than a body can have. */
const mostEntries = 19_000

type MakeBody = (size: number) => unknown

/** The worst bodies for a schema: each of its fields as a long text and as a long list, and fields that it does not have. */
export function* hostileBodies(shape: Shape, wrap = (value: unknown) => value): Generator<MakeBody> {
  for (const one of shape.anyOf ?? []) yield* hostileBodies(one, wrap)
  if (shape.type === 'string') {
    for (const unit of ['x', 'e\u0301', '=', '\ud83d\ude00']) yield (size) => wrap(fill(unit, size))
  }
  if (shape.type === 'array') {
    yield* hostileBodies(shape.items ?? {}, (value) => wrap([value]))
    for (const value of [{}, 1, 'x']) {
      yield (size) => wrap(Array.from({ length: Math.min(mostEntries, size / 3) }, () => value))
    }
    for (const [name, { type, maxItems = mostEntries }] of Object.entries(shape.items?.properties ?? {})) {
      if (type !== 'array') continue
      const list = { [name]: Array(maxItems).fill({}) }
      yield (size) => wrap(Array(Math.floor(Math.min(mostEntries, size / 3) / (maxItems + 1))).fill(list))
    }
  }
  if (shape.type !== 'object') return
  yield (size) => wrap({ [fill('~/', Math.min(size, 1_000))]: 1 })
  yield (size) => wrap(Object.fromEntries(Array.from({ length: 999 }, (_, at) => [fill('~/', size / 1_000) + at, 1])))
  for (const [name, one] of Object.entries(shape.properties ?? {})) {
    yield* hostileBodies(one, (value) => wrap({ [name]: value }))
  }
}
