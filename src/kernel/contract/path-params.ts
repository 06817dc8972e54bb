/** The parameters in the paths of endpoints, which are in braces: `/servers/{id}`. */

/** The parameters that are ids are called `id`, or end as this does. */
const idEnd = '_id'
export type IdParam = 'id' | `${string}${typeof idEnd}`

/** What texts call the things of some parameters; those of others are called as the parameter is, as an action is by `action_id`. */
const titles: Readonly<Record<string, string>> = { id: 'resource', project_id: 'Project', person_id: 'member' }

/** Tells whether a path parameter is an id; the others are strings. */
export function isIdParam(name: string): name is IdParam {
  return name === 'id' || name.endsWith(idEnd)
}

/** Returns the noun for what a parameter of an endpoint names, whose resources are called `title`. */
export function titleOf(name: string, title?: string): string {
  const isResource = name === 'id' || name === 'id_or_name'
  if (isResource && title !== undefined) return title
  return titles[name] ?? (isIdParam(name) ? name.slice(0, -idEnd.length) : 'resource')
}

/** The names of the parameters in a path, in order. */
export function paramsIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
}
