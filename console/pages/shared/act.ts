/** The options of the acts on a resource, and the requests they send. */
import { type AnyRequest, type OperationId, operationOf } from '../../api/operations.ts'
import type { Family } from '../../families.ts'
import type { LabelMap } from '../../ui/labels-field.tsx'

/** Servers have acts of their own. */
export type ActsFamily = Exclude<Family, 'servers'>

export interface Resource {
  readonly id: number
  readonly name: string
  readonly labels: LabelMap
  readonly protection?: { readonly delete: boolean } | undefined
}

export interface ActsOptions<Row extends Resource> {
  readonly family: ActsFamily
  /** Other families whose replies a deletion outdates. */
  readonly touches?: readonly string[]
  /** The text on what is lost with a deleted resource. */
  readonly lost: string | ((row: Row) => string)
  /** The button that deletes it, unless it says the name. */
  readonly deleteAct?: string
  /** True if its name has to be typed before, because data is lost. */
  readonly losesData?: boolean
  /** Returns why it cannot be deleted in its present state. */
  readonly whyNot?: (row: Row) => string | undefined
}

export interface Asked<Row> {
  readonly kind: 'rename' | 'labels' | 'delete'
  readonly row: Row
}

/** A request about one resource, by the parameter that the path of the operation has for it. */
export function requestOn({ id }: { readonly id: number }, family: Family, act: string, body?: object): AnyRequest {
  const operation = `${family}_${act}` as OperationId
  const [, param = 'id'] = /\{(\w+)\}/.exec(operationOf(operation).path) ?? []
  return { operation, params: { [param]: id }, ...(body ? { body } : {}) }
}
