/** What the API has of actions below every family that has some. */
import type { familyActionEndpoints, ResourceParam } from '../../src/kernel/actions/contract.ts'

export type ActionsOf<Family extends string, Param extends ResourceParam = 'id'> = ReturnType<
  typeof familyActionEndpoints<Family, Param>
>
