/** The vocabulary by which families say which resources of Terraform stand for what creates or connects something. */
import type { Asked, Reason, ReasonKind } from '../request.ts'
import { type Body, Expression, localName, type Value } from './hcl.ts'

export interface Resource {
  /** Such as `hcloud_server`. */
  readonly type: string
  readonly label: string
  readonly body: Body
}

/** Thrown for what has no resource. */
export class NoResource extends Error {
  readonly reason: Reason
  constructor(reason: Reason) {
    super(`${reason.kind} ${reason.what}`)
    this.reason = reason
  }
}

export type Fields = Readonly<Record<string, unknown>>
export type Make = (
  body: Fields,
  params: NonNullable<Asked['params']>,
  afterwards: NonNullable<Asked['afterwards']>,
) => readonly Resource[]

export type Connect = (body: Fields, made: Resource) => readonly Resource[]

export const list = (value: unknown) => (value ?? []) as readonly Fields[]
export const refuse = (kind: ReasonKind, what: string): never => {
  throw new NoResource({ kind, what })
}

export type Attributes = Body['attributes']

export const pick = (fields: Fields, ...names: readonly string[]): Attributes =>
  Object.fromEntries(names.map((name) => [name, fields[name] as Value | null | undefined]))

/** Ids and names alike are texts there. */
export const texts = (fields: Fields, ...names: readonly string[]): Attributes =>
  Object.fromEntries(names.map((name) => [name, textOf(fields[name])]))
const textOf = (value: unknown) => (value === undefined || value === null ? undefined : String(value))
export const some = (value: unknown) => (list(value).length > 0 ? (value as readonly Value[]) : undefined)

export function resource(type: string, name: unknown, attributes: Attributes, blocks: Body['blocks'] = []): Resource {
  const labels = attributes.labels
  const isEmpty = labels !== null && typeof labels === 'object' && Object.keys(labels).length === 0
  const own = isEmpty ? { ...attributes, labels: undefined } : attributes
  return { type: `hcloud_${type}`, label: localName(name as string), body: { attributes: own, blocks } }
}

export const idOf = ({ type, label }: Resource) => new Expression(`${type}.${label}.id`)
export const numberOf = (value: string | number | undefined) => Number(value)

/** The name of an address, as the resource of it that Terraform has. */
export const reverseName =
  (owner: string): Make =>
  (body, { id }) => {
    const { ip, dns_ptr } = body as Readonly<Record<string, string | undefined>>
    if (!dns_ptr) refuse('value', 'dns_ptr')
    return [resource('rdns', dns_ptr, { [owner]: numberOf(id), ip_address: ip, dns_ptr })]
  }

/** The Terraform form of a family. */
export interface Terraform {
  /** The resource that takes over what exists, such as `server`; undefined where there is none for its type. */
  readonly kindOf: (type?: string) => string | undefined
  /** Fields of bodies that the provider does not read when it imports, so that it would change what is the same. */
  readonly unread?: readonly string[]
  /** What parts are imported by, by their type without the prefix; everything else by its id. */
  readonly imports?: Readonly<Record<string, (attributes: Fields) => string>>
  /** The functions that make resources, by the operation of the family. */
  readonly makers: Readonly<Record<string, Make>>
  /** The functions that connect what another family makes with resources of this one, by operation: `servers_create`. */
  readonly connections?: Readonly<Record<string, Connect>>
}
