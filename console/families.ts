/**
 * The families of resources that a Project holds, from their slices: what they are called, their sign, and where their pages
 * are. Navigation, palette, feeds and what pages share are made from it. A family that the API has and that has no slice
 * does not compile.
 */
import type { AnyRoute, ResolveParams } from '@tanstack/react-router'
import type { OperationId } from './api/operations.ts'
import { familyOf } from './api/operations.ts'
import { entry as entries } from './generated/entry.ts'
import type { Entry } from './routes/entry.ts'
import type { Route, Target } from './ui/link.tsx'
import { language } from './words/words.ts'

/** `servers`: resources are what can be deleted one by one. */
export type Family = { [Id in OperationId]: Id extends `${infer Name}_remove` ? Name : never }[OperationId]

interface FamilyEntry extends Omit<Entry, 'label' | 'routes'> {
  readonly label: string
  /** The addresses of its pages: `/projects/$project/servers`. */
  readonly pages: Readonly<Record<string, Route>> & { readonly list: Route }
}

const all: Readonly<Record<Family, Entry>> = entries

/** Sorted as in the navigation. */
export const families = Object.fromEntries(
  Object.entries(all)
    .sort(([, one], [, other]) => one.place - other.place)
    .map(([family, { label, routes, ...entry }]) => [
      family,
      { ...entry, label: label[language], pages: addressesOf(routes) },
    ]),
) as Readonly<Record<Family, FamilyEntry>>

type RoutesOf<One> = One extends { readonly routes: infer All } ? All[keyof All] : never

/** The pages of all families. */
export const familyPages = Object.values(entries).flatMap(({ routes }) =>
  Object.values<RoutesOf<(typeof entries)[Family]>>(routes),
)

function addressesOf(routes: Readonly<Record<string, AnyRoute>>) {
  return Object.fromEntries(
    Object.entries(routes).map(([page, { options }]) => [
      page,
      `/projects/$project${(options as { path: string }).path}`,
    ]),
  )
}

type Pages = { readonly [Of in Family]: (typeof entries)[Of]['routes'] }

/** The parameters in the address of a page besides the Project, such as `{ id: string; tab?: string }`. */
type ParamsOf<Page> = Page extends { readonly types: { readonly path: infer Path extends string } }
  ? { readonly [Name in keyof ResolveParams<Path>]: ResolveParams<Path>[Name] | number }
  : never
type Given<Params> = Record<never, never> extends Params ? [] : [params: Params]

/** A link to a page of a family: `linkTo('servers', 'one', { id })`. */
export function linkTo<Of extends Family, Page extends keyof Pages[Of] & string>(
  family: Of,
  page: Page,
  ...[params]: Given<ParamsOf<Pages[Of][Page]>>
): Target {
  return { to: families[family].pages[page]!, params: params as Target['params'] }
}

/** A link to the first page of a Project. */
export function projectLink(project: number): Target {
  return { to: '/projects/$project', params: { project } }
}

/** A resource as links know it. */
interface Linked {
  readonly id: number
  readonly name?: string | null | undefined
}

/** The page of a resource, or the list with only what has its name. */
export function pageOf(family: Family, { id, name }: Linked, tab = families[family].tab): Target {
  const { pages, isKnownByName } = families[family]
  const { list, one } = pages
  if (!one) return { to: list, search: { q: name ?? '' } }
  const param = /\$(?!project)(\w+)/.exec(one)![1]!
  return { to: one, params: { [param]: isKnownByName ? (name ?? '') : id, ...(tab ? { tab } : {}) } }
}

export function isFamily(name: string): name is Family {
  return Object.hasOwn(families, name)
}

/** The family of a list of the API: `servers` for `servers_list`. */
export function familyOfList(operation: string): Family | undefined {
  const name = operation.replace(/_list$/, '')
  return name !== operation && isFamily(name) ? name : undefined
}

export function familyOfType(type: string): Family | undefined {
  const name = familyOf(type)
  return isFamily(name) ? name : undefined
}
