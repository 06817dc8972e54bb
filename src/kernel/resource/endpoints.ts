/** The rows of the contract that are the same for every kind of resource: list, create, get, update and delete. */
import { type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { type Endpoint, listing, Meta, type QueryParams } from '../contract/contract.ts'
import type { ErrorCode } from '../errors.ts'
import type { Kind } from './resource.ts'

/** The differences between kinds of resources. */
interface Rows<Filters extends QueryParams, Create extends TObject, Reply extends TProperties, Update extends TObject> {
  /** The section of docs/contract.md that they implement. */
  readonly section: string
  /** The role that creates and deletes them; changes need `restricted`. */
  readonly needs: 'restricted' | 'member'
  /** Query parameters of the list beyond paging, sorting, names and labels; each is a column of the same name. */
  readonly filters?: Filters
  readonly create: {
    readonly body: Create
    readonly summary?: string
    /** The fields of the reply besides the resource. */
    readonly reply?: Reply
    readonly errors?: readonly ErrorCode[]
    readonly statuses?: Endpoint['statuses']
    readonly refers?: Endpoint['refers']
  }
  readonly update: { readonly body: Update; readonly summary?: string; readonly errors?: readonly ErrorCode[] }
  readonly remove?: { readonly summary?: string; readonly errors: readonly ErrorCode[] }
}

type Reply<Type extends string, Schema extends TSchema, More extends TProperties = Record<never, never>> = TObject<
  { [K in Type]: Schema } & More
>
type ListReply<Path extends string, Schema extends TSchema> = TObject<
  { [K in Path]: ReturnType<typeof Type.Array<Schema>> } & { meta: typeof Meta }
>

/** `an SSH key`, `a server`. */
function withArticle(title: string): string {
  return `${/^([aeio]|SSH|ISO)/i.test(title) ? 'an' : 'a'} ${title}`
}

/** The five endpoints of a kind of resource. */
export function resourceEndpoints<
  const S extends Kind,
  Schema extends TSchema,
  // biome-ignore lint/complexity/noBannedTypes: no filters
  const Filters extends QueryParams = {},
  Create extends TObject = TObject,
  // biome-ignore lint/complexity/noBannedTypes: nothing besides the resource
  More extends TProperties = {},
  Update extends TObject = TObject,
>({ type, path, title, titles, sortable }: S, schema: Schema, rows: Rows<Filters, Create, More, Update>) {
  const { section, needs, filters = {} as Filters, create, update, remove } = rows
  const reply = Type.Object({ [type]: schema }) as unknown as Reply<S['type'], Schema>
  const one = `/${path}/{id}` as `/${S['path']}/{id}`
  const all = `/${path}` as `/${S['path']}`
  const common = { section } as const
  return {
    list: {
      ...common,
      method: 'GET',
      needs: 'viewer',
      path: all,
      summary: `List ${titles}`,
      query: { ...listing(sortable), ...filters },
      status: 200,
      reply: Type.Object({ [path]: Type.Array(schema), meta: Meta }) as unknown as ListReply<S['path'], Schema>,
      errors: [],
    },
    create: {
      ...common,
      method: 'POST',
      needs,
      path: all,
      summary: create.summary ?? `Create ${withArticle(title)}`,
      body: create.body,
      status: 201,
      reply: Type.Object({ [type]: schema, ...create.reply }) as unknown as Reply<S['type'], Schema, More>,
      errors: ['uniqueness_error', 'resource_limit_exceeded', ...(create.errors ?? [])],
      ...(create.statuses ? { statuses: create.statuses } : {}),
      ...(create.refers ? { refers: create.refers } : {}),
    },
    get: {
      ...common,
      method: 'GET',
      needs: 'viewer',
      path: one,
      of: one,
      summary: `Get ${withArticle(title)}`,
      status: 200,
      reply,
      errors: [],
    },
    update: {
      ...common,
      method: 'PUT',
      needs: 'restricted',
      path: one,
      of: one,
      summary: update.summary ?? `Change the name or the labels of ${withArticle(title)}`,
      body: update.body,
      status: 200,
      reply,
      errors: ['uniqueness_error', 'conflict', ...(update.errors ?? [])],
    },
    remove: {
      ...common,
      method: 'DELETE',
      needs,
      path: one,
      of: one,
      summary: remove?.summary ?? `Delete ${withArticle(title)}`,
      status: 204,
      errors: remove?.errors ?? [],
    },
  } as const
}
