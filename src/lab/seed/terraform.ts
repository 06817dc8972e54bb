/**
 * Writes a Project as a configuration of Terraform that takes over what is there. The console knows which resources stand
 * for which requests, so the requests that would make the Project are written like those of its pages.
 */
import { type Body, blockText, Expression, localName, type Value } from '../../../console/commands/terraform/hcl.ts'
import {
  type Fields as Asked,
  type Resource as Block,
  NoResource,
  type Terraform,
} from '../../../console/commands/terraform/resources.ts'
import { terraform } from '../../../console/generated/terraform.ts'
import type { Fields } from '../../kernel/resource/seed.ts'
import type { Part, SeedOperation } from './kinds.ts'
import { withIds } from './names.ts'
import type { Present, Resource } from './present.ts'
import { entriesOf, lean, leftOutOf } from './write.ts'

const families: Readonly<Record<string, Terraform>> = terraform

/** The first of the numbers that stand for ids until it is clear what each resource is called; nothing has it as a text. */
function firstMarkFor(resources: readonly Resource[]): number {
  const texts = JSON.stringify(resources.map(({ shown }) => shown))
  let mark = 4_503_000_000_000_000
  while (texts.includes(String(mark).slice(0, 8))) mark -= 1e8
  return mark
}

interface Afterwards {
  readonly params: Readonly<Record<string, number>>
  readonly afterwards: readonly string[]
}

/** The blocks of a resource, before each has a label of its own. */
interface Made {
  readonly created: readonly Block[]
  readonly further: readonly Block[]
}

const unreadOf = ({ kind }: Resource) => families[kind.path]?.unread ?? []

class Configuration {
  readonly #marks = new Map<string, number>()
  readonly #resources: readonly Resource[]
  /** The expression and the id that a mark stands for. */
  readonly #meanings = new Map<number, { readonly name: Expression | number; readonly id: number }>()
  readonly #taken = new Set<string>()
  readonly leftOut: string[] = []

  constructor(resources: readonly Resource[]) {
    this.#resources = resources
    const firstMark = firstMarkFor(resources)
    for (const [index, { kind, name, id }] of resources.entries()) {
      this.#marks.set(`${kind.type} ${name}`, firstMark + index)
      this.#meanings.set(firstMark + index, { name: id, id })
    }
  }

  text(): string {
    const made = this.#resources.map((resource) => ({ resource, blocks: this.#understoodOf(resource) }))
    return made
      .flatMap(({ resource, blocks }) => blocks.map((block, index) => this.#textOf(block, resource, index === 0)))
      .join('\n')
  }

  #markOf({ kind, name }: Resource): number {
    return this.#marks.get(`${kind.type} ${name}`)!
  }

  #idsOf({ kind, entry, name }: Resource): Fields {
    const idOf = (types: readonly string[], other: string) =>
      types.map((type) => this.#marks.get(`${type} ${other}`)).find((mark) => mark !== undefined)
    return { name, ...withIds(kind, entry!, idOf) }
  }

  /** The blocks of a resource. Servers of others may show it in another form, which is left out. */
  #understoodOf(resource: Resource): Block[] {
    try {
      return this.#blocksOf(resource)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      this.#leaveOut(resource, `it is not understood: ${error.message}`)
      return []
    }
  }

  /** The block of the resource itself, and those of its parts. */
  #blocksOf(resource: Resource): Block[] {
    if (resource.isIncomplete) {
      this.#leaveOut(resource, 'it has secrets')
      return []
    }
    const own = this.#idsOf(resource)
    const {
      created: [main, ...inner],
      further,
    } = this.#madeOf(resource, own)
    if (!main) return []
    const whole = this.#unique(unreadOf(resource).includes('protection') ? main : withProtection(main, own.protection))
    const name = new Expression(`${whole.type}.${whole.label}.id`)
    this.#meanings.set(this.#markOf(resource), { name, id: resource.id })
    const renamed = inner.map((block) => this.#unique(renamedIn(block, main, whole)))
    const label = localName(resource.name)
    return [whole, ...renamed, ...further.map((block) => this.#unique({ ...block, label }))]
  }

  /** The blocks that stand for the requests which make it, and for those that bring about its parts. */
  #madeOf(resource: Resource, own: Fields): Made {
    const { parts, path } = resource.kind
    const asked = parts.filter(({ when, name }) => when?.(own[name] ?? undefined))
    const make = (some: readonly Part[]): Made => {
      const afterwards = some.map(({ operation }) => `${path}_${operation.key}`)
      const further = parts.flatMap((part) => this.#partOf(resource, part, own[part.name], afterwards))
      return { created: this.#createdOf(resource, own, afterwards), further }
    }
    const made = make(asked)
    for (const part of parts) {
      const isAsked = asked.includes(part)
      if (!part.when || isAsked === part.when(undefined)) continue
      const without = isAsked ? make(asked.filter((one) => one !== part)) : made
      if (JSON.stringify(without) === JSON.stringify(made)) this.#leaveOut(resource, part.name)
    }
    return made
  }

  /** The blocks that stand for the request which makes it, and for those that are asked with it. */
  #createdOf(resource: Resource, own: Fields, afterwards: readonly string[]): readonly Block[] {
    const { kind } = resource
    const { at, naming = 'name', parts = {} } = kind.seed
    const unread = unreadOf(resource)
    const given = Object.entries({ ...own, [naming]: own.name }).filter(([name, value]) => {
      if (!unread.includes(name)) return value !== null
      if (lean(value, kind.seed.usual?.[name]) !== undefined)
        this.#leaveOut(resource, `${name}, which the provider does not take over`)
      return false
    })
    const body = Object.fromEntries(given.filter(([name]) => !(name in parts) || parts[name]!.isCreated))
    const params = at === undefined ? {} : { id: own[at] as number }
    return this.#make(resource, kind.create, body, { params, afterwards })
  }

  #partOf(
    resource: Resource,
    part: Part,
    value: Fields | readonly Fields[] | null | undefined,
    afterwards: readonly string[],
  ): readonly Block[] {
    const { name, when, each, isCreated, operation } = part
    if (name === 'protection' || when || isCreated || value === null || value === undefined) return []
    return (each ? (value as readonly Fields[]) : [value]).flatMap((one) => {
      const body = part.body ? part.body(one, resource.shown) : (one as Fields)
      return this.#make(resource, operation, body, { params: { id: this.#markOf(resource) }, afterwards })
    })
  }

  #make(
    resource: Resource,
    { family, key }: SeedOperation,
    body: Fields,
    { params, afterwards }: Afterwards,
  ): readonly Block[] {
    const make = families[family.name]?.makers[key]
    try {
      if (make) return make(body as Asked, params, afterwards)
      this.#leaveOut(resource, `there is no resource for ${key}`)
    } catch (error) {
      if (!(error instanceof NoResource)) throw error
      this.#leaveOut(resource, error.reason.what ?? key)
    }
    return []
  }

  #leaveOut({ kind, name }: Resource, why: string): void {
    const line = `${kind.path}: ${name}: not in the configuration: ${why}`
    if (!this.leftOut.includes(line)) this.leftOut.push(line)
  }

  /** The block under a label that no other one of its type has. */
  #unique(block: Block): Block {
    const base = block.label === '' ? 'main' : block.label
    let label = base
    for (let count = 2; this.#taken.has(`${block.type}.${label}`); count++) label = `${base}_${count}`
    this.#taken.add(`${block.type}.${label}`)
    return { ...block, label }
  }

  #textOf(block: Block, { kind, shown }: Resource, isMain: boolean): string {
    const { type, label, body } = block
    const named = mapBody(body, (mark) => this.#meanings.get(mark)?.name)
    const ids = mapBody(body, (mark) => this.#meanings.get(mark)?.id).attributes
    const importId = families[kind.path]?.imports?.[type.replace(/^[a-z]+_/, '')] ?? otherImport(type)
    const id = isMain ? String(shown.id) : importId?.(plainNames(ids, shown) as Asked)
    const taken =
      id === undefined ? [] : [blockText(['import'], { attributes: { to: new Expression(`${type}.${label}`), id } })]
    return `${[blockText(['resource', type, label], named), ...taken].join('\n\n')}\n`
  }
}

/** The import of a part that another family has. */
function otherImport(type: string) {
  const name = type.replace(/^[a-z]+_/, '')
  return Object.values(families).flatMap(({ imports }) => imports?.[name] ?? [])[0]
}

/** The attributes of a part by themselves: expressions that are left are the name or the id of the resource. */
function plainNames(attributes: Body['attributes'], shown: Fields): Fields {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (!(value instanceof Expression)) return [name, value]
      return [name, value.text.endsWith('.name') ? shown.name : shown.id]
    }),
  )
}

function withProtection(block: Block, protection: Fields | null | undefined): Block {
  const given = Object.entries(protection ?? {}).filter(([, value]) => value === true)
  if (given.length === 0) return block
  const attributes = {
    ...block.body.attributes,
    ...Object.fromEntries(given.map(([name]) => [`${name}_protection`, true])),
  }
  return { ...block, body: { ...block.body, attributes } }
}

/** A part whose expressions name the resource by the label that it has in the end. */
function renamedIn(block: Block, before: Block, after: Block): Block {
  if (before.label === after.label) return block
  const [from, to] = [before, after].map(({ type, label }) => `${type}.${label}.`)
  const rename = (value: Value | null | undefined) =>
    value instanceof Expression && value.text.startsWith(from!)
      ? new Expression(to + value.text.slice(from!.length))
      : value
  const attributes = Object.entries(block.body.attributes).map(([name, value]) => [name, rename(value)])
  return { ...block, body: { ...block.body, attributes: Object.fromEntries(attributes) } }
}

type Meaning = (mark: number) => Expression | number | undefined

function mapBody({ attributes, blocks = [] }: Body, meaning: Meaning): Body {
  return {
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [name, value && mapValue(value, meaning)]),
    ),
    blocks: blocks.map(([name, body]) => [name, mapBody(body, meaning)] as const),
  }
}

function mapValue(value: Value, meaning: Meaning): Value {
  if (typeof value === 'number') return meaning(value) ?? value
  if (typeof value === 'string') return (/^\d{16}$/.test(value) ? meaning(Number(value)) : undefined) ?? value
  if (typeof value !== 'object' || value instanceof Expression) return value
  if (Array.isArray(value)) return value.map((one: Value) => mapValue(one, meaning))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapValue(one, meaning)]))
}

/** The text of a configuration with import blocks, and what it leaves out. */
export function writeTerraform(present: Present): { text: string; left_out: string[] } {
  const configuration = new Configuration(entriesOf(present).flatMap(({ entries }) => entries))
  const text = configuration.text()
  const left_out = [...leftOutOf(present), ...configuration.leftOut]
  const heading = [
    'Resources that are there, for Terraform to take over.',
    ...left_out.map((one) => `Left out: ${one}`),
  ]
  return { text: `${heading.map((line) => `# ${line.replaceAll(/\s+/g, ' ')}\n`).join('')}\n${text}`, left_out }
}
