/**
 * A family says here how its resources stand in seed files (docs/seed.md). An entry has the fields of the body that creates one, with
 * the names of other resources in place of their ids, and parts that further operations bring about.
 */

/** A resource as a reply shows it, or a body. */
// biome-ignore lint/suspicious/noExplicitAny: resources of every family
export type Fields = Readonly<Record<string, any>>

/** The rules for a text. */
export interface TextRule {
  readonly pattern?: string
  readonly maxLength?: number
  readonly description?: string
}

/** A field of an entry that an operation of its own brings about. Operations are named by their command, or by their key. */
export interface SeedPart {
  readonly by: string
  /** The body of the operation; by default it is the value. */
  readonly body?: (value: Fields[string], resource: Fields) => Fields
  /** The field of the body that the value is; all of the body by default. */
  readonly field?: string
  /** Tells for which values of yes, no and nothing an operation without a body is done. */
  readonly when?: (value: boolean | undefined) => boolean
  /** The fields that tell the elements of a list apart, each of which takes one operation. */
  readonly each?: readonly string[]
  /** The texts of which an element is made, where the body has others. */
  readonly element?: Readonly<Record<string, TextRule>>
  /** True for a list that the body which creates the resource carries: only later elements need the operation. */
  readonly isCreated?: true
  /** The operation that takes an element back, and its body; by default the fields of the element that it knows. */
  readonly undo?: string
  readonly undoBody?: (value: Fields, resource: Fields) => Fields
  /** The path parameters by which `undo` finds an element, besides those of the resource. */
  readonly params?: (value: Fields) => Readonly<Record<string, string>>
}

/** The surroundings of a resource, for making its entry. */
export interface SeedView {
  /** Adds a remark about what the entry does not tell. */
  readonly remark: (text: string) => void
  /** Says that a field without which it cannot be made again is a secret. */
  readonly secret: (field: string) => void
  /** True when the resource is there and in the file. */
  readonly has: (type: string, id: unknown) => boolean
}

export interface Seed {
  /** The operation that makes one; `create` by default. */
  readonly create?: string
  /** The type of the resource at which it is made, which a field of this name tells. */
  readonly at?: string
  /** The field of the resource that the name in the file stands for; `name` by default. */
  readonly naming?: string
  /** Fields of the body that no entry has: others stand for them, or they are for older clients. */
  readonly without?: readonly string[]
  /** Values that the body has whatever the entry says. */
  readonly always?: Fields
  readonly parts?: Readonly<Record<string, SeedPart>>
  /** The filter by which the list shows what can stand in a file; all by default. */
  readonly filter?: Readonly<Record<string, string>>
  /** Lists that are read besides, by the field that they fill. */
  readonly more?: Readonly<Record<string, { readonly by: string; readonly when?: (resource: Fields) => boolean }>>
  /** True for what is made and goes with another resource and says nothing of its own: it stands in no file. */
  readonly isImplied?: (resource: Fields) => boolean
  /** Values that need not be said. */
  readonly usual?: Fields
  /** The entry of a resource: its fields as in bodies, with ids. Files leave out what is null, empty or usual. */
  readonly entry: (resource: Fields, view: SeedView) => Fields
  /** Names of resources that an entry does not name and that are made before it where the file has them, by type. */
  readonly needs?: (entry: Fields) => Readonly<Record<string, readonly string[]>>
  /** The operations, with their bodies, that have to come before one that was just made can be removed again. */
  readonly release?: (resource: Fields) => readonly { readonly by: string; readonly body?: Fields }[]
  /** Fields of entries that replies never show, in words. */
  readonly untold?: readonly string[]
}

/** The part that protects a resource. */
export const protection = { by: 'change_protection' } as const satisfies SeedPart

/** The value of a protection, where anything is protected. */
export const protectedParts = (found: Fields | undefined): Fields | null =>
  found && Object.values(found).some(Boolean) ? found : null
