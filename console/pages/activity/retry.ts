/** The failed actions that the API can be asked to do again: those that need nothing but the resource. */
import { type AnyRequest, familyOf, type OperationId } from '../../api/operations.ts'
import { retries } from '../../generated/retries.ts'
import type { Action } from './entries.ts'

const ofFamilies: Readonly<Record<string, Readonly<Record<string, string>>>> = retries

/** The request that tries a failed action again; undefined where there is none. */
export function retryOf({ command, status, resources }: Action): AnyRequest | undefined {
  if (status !== 'error') return undefined
  for (const { type, id } of resources) {
    const family = familyOf(type)
    const key = ofFamilies[family]?.[command]
    if (key) return { operation: `${family}_${key}` as OperationId, params: { id } }
  }
  return undefined
}
