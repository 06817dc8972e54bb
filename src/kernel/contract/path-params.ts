/** The parameters in the paths of endpoints, which are in braces: `/servers/{id}`. */

/** The parameters that are ids, each with what texts call what it is of where its endpoint does not say that. */
const idParams = {
  id: 'resource',
  action_id: 'action',
  project_id: 'Project',
  person_id: 'member',
  token_id: 'token',
  mail_id: 'mail',
  snapshot_id: 'snapshot',
  subaccount_id: 'subaccount',
} as const
export type IdParam = keyof typeof idParams

/** Tells whether a path parameter is an id; the others are strings. */
export function isIdParam(name: string): name is IdParam {
  return Object.hasOwn(idParams, name)
}

/** Returns the noun for what a parameter of an endpoint names, whose resources are called `title`. */
export function titleOf(name: string, title?: string): string {
  const isResource = name === 'id' || name === 'id_or_name'
  return (isResource ? title : undefined) ?? (isIdParam(name) ? idParams[name] : 'resource')
}

/** The names of the parameters in a path, in order. */
export function paramsIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
}
