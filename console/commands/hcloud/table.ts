/** The hcloud forms of all operations of the API. A family that is missing does not compile. */
import type { OperationFamily } from '../../api/operations.ts'
import { hcloud } from '../../generated/hcloud.ts'
import { type AnyCommand, noCommand, Refusal } from './forms.ts'

/** Those of the public API: hcloud knows nothing of people, Projects and what only Wolke has. */
type ApiFamily = Exclude<
  OperationFamily,
  'audit' | 'faults' | 'lab' | 'management' | 'reachability' | 'people' | 'seed'
>

const families = {
  ...hcloud,
  actions: { list: noCommand, get: noCommand },
} satisfies Readonly<Record<ApiFamily, object>>

/** The minor version of hcloud that was the first to have the commands of a family. */
const firstVersions: Readonly<Record<string, number>> = { zones: 54 }

/** The forms by operation, such as `servers_create`. */
export const hcloudForms: Readonly<Record<string, AnyCommand | Refusal>> = Object.fromEntries(
  Object.entries(families).flatMap(([family, forms]) =>
    Object.entries(forms as Readonly<Record<string, AnyCommand | Refusal>>).map(([key, form]) => {
      const since = firstVersions[family]
      return [`${family}_${key}`, since === undefined || form instanceof Refusal ? form : { since, ...form }]
    }),
  ),
)
