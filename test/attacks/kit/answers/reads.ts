/** All that can be read of a Project: a path for each endpoint that reads what is in the database. */
import { families } from '../../../../src/families.ts'
import type { Endpoint } from '../../../../src/kernel/contract/contract.ts'
import { anyName, type Draw, type Shown } from '../../../kit/proof.ts'

/** What paths are made of; the actions, and the resources of each family, are those that answers have shown. */
export interface Known {
  readonly draw: Draw
  any(family: string): Shown | undefined
  anyAction(): number | undefined
}

/** A kind of read; undefined when what its path needs is not there. */
export type Read = (known: Known) => string | undefined

/** Measurements come from the infrastructure, of which each process has one; so does reachability, which is not asked. */
const isOfDatabase = ({ method, path }: Endpoint) => method === 'GET' && !path.endsWith('/metrics')

export const reads: readonly Read[] = [
  ...families.flatMap(({ name, endpoints }) =>
    Object.values(endpoints)
      .filter(isOfDatabase)
      .map((endpoint) => readOf(name, endpoint)),
  ),
]

function readOf(family: string, { path, query = {} }: Endpoint): Read {
  return (known) => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, param: string) => filling(family, { path, param }, known) ?? '{}')
    return filled.includes('{}') ? undefined : filled + searchOf(Object.keys(query), family, known)
  }
}

function filling(
  family: string,
  { path, param }: { path: string; param: string },
  { draw, any, anyAction }: Known,
): string | undefined {
  if (param === 'rr_name') return draw.oneOf(['@', 'www', 'mail', 'a'])
  if (param === 'rr_type') return draw.oneOf(['A', 'AAAA', 'TXT', 'SOA', 'NS'])
  if (param === 'action_id' || path.endsWith('/actions/{id}')) return anyAction()?.toString()
  if (family === 'actions') return anyAction()?.toString()
  const found = any(family)
  const isNamed = param === 'id_or_name' && draw.number(2) === 0
  return found && String(isNamed ? found.name : found.id)
}

/** Some of the parameters, with values of which most find something. */
function searchOf(params: readonly string[], family: string, known: Known): string {
  const { draw } = known
  const given = params.filter(() => draw.number(3) === 0)
  const pairs = given.flatMap((param) => {
    const value = queryValue(param, family, known)
    return value === undefined ? [] : [`${param}=${encodeURIComponent(value)}`]
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const values: Readonly<Record<string, readonly string[]>> = {
  page: ['1', '2', '3'],
  per_page: ['1', '2', '5', '50'],
  sort: ['id', 'id:desc', 'name', 'name:desc', 'created', 'created:desc', 'ip'],
  status: ['running', 'off', 'success', 'error', 'available'],
  label_selector: ['env=dev', 'env', '!tier', 'env!=prod', 'env=dev,tier=1', 'tier in (1,2)', 'env=prod,!tier', 'x'],
}

function queryValue(param: string, family: string, { draw, any, anyAction }: Known): string | undefined {
  if (param === 'id') return anyAction()?.toString()
  if (param === 'name') return any(family)?.name ?? anyName('a', draw)
  const some = values[param]
  return some && draw.oneOf(some)
}
