/** The families and commands that scopes of tokens can name, from the API's operations. */
import { wolkeBase } from '../../../src/kernel/contract/bases.ts'
import { operationIds, operationOf } from '../../api/operations.ts'

/** The public API, and what of Wolke's own shows the resources of a Project. */
const rows = operationIds
  .filter((id) => operationOf(id).base !== wolkeBase || id.startsWith('reachability_'))
  .map(operationOf)

/** The families of the API, by the first part of their paths. */
export const families: readonly string[] = [...new Set(rows.map(({ path }) => path.split('/')[1] ?? ''))]
  .filter((family) => family !== 'actions')
  .sort()

/** The commands of the API: the names of actions. */
export const commands: ReadonlySet<string> = new Set(
  rows.flatMap(({ method, path }) => (method === 'POST' ? (/\/actions\/(\w+)$/.exec(path)?.[1] ?? []) : [])),
)
