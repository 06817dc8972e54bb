/**
 * The families of resources that a Project holds, from their slices: what they are called, their sign, and where their pages
 * are. Navigation, palette, feeds and what pages share are made from it. A family that the API has and that has no slice
 * does not compile.
 */
import type { AnyRoute } from '@tanstack/react-router'
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
  /** The page that lists its resources. */
  readonly list: Route
  /** The page of one of them, and the page that makes one. */
  readonly one?: Route | undefined
  readonly create?: Route | undefined
}

const all: Readonly<Record<Family, Entry>> = entries

/** Sorted as in the navigation. */
export const families = Object.fromEntries(
  Object.entries(all)
    .sort(([, one], [, other]) => one.place - other.place)
    .map(([family, { label, routes, ...entry }]) => [
      family,
      {
        ...entry,
        label: label[language],
        list: addressOf(routes.list),
        one: routes.one && addressOf(routes.one),
        create: routes.create && addressOf(routes.create),
      },
    ]),
) as Readonly<Record<Family, FamilyEntry>>

type RoutesOf<One> = One extends { readonly routes: infer All } ? All[keyof All] : never

/** The pages of all families. */
export const familyPages = Object.values(entries).flatMap(({ routes }) =>
  Object.values<RoutesOf<(typeof entries)[Family]>>(routes),
)

function addressOf(route: AnyRoute): Route {
  const { path } = route.options as { readonly path: string }
  return `/projects/$project${path}` as Route
}

/** A resource as links know it. */
interface Linked {
  readonly id: number
  readonly name?: string | null | undefined
}

/** The page of a resource, or the list with only what has its name; the Project is still missing among the parameters. */
export function pageOf(family: Family, { id, name }: Linked, tab = families[family].tab): Target {
  const { list, one, isKnownByName } = families[family]
  if (!one) return { to: list, search: { q: name ?? '' } }
  const param = /\$(?!project)(\w+)/.exec(one)![1]!
  return { to: one, params: { [param]: isKnownByName ? (name ?? '') : String(id), ...(tab ? { tab } : {}) } }
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
