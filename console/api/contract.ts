/** The action endpoints that the API has below every family with actions. */
import type { familyActionEndpoints, ResourceParam } from '../../src/kernel/actions/contract.ts'

export type ActionsOf<Family extends string, Param extends ResourceParam = 'id'> = ReturnType<
  typeof familyActionEndpoints<Family, Param>
>
