/** What can be done with a resource of any family: rename, labels, protection, deletion, and its id to copy. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useApi, useOutdate } from '../../api/api.ts'
import { type AnyRequest, isOperation, type OperationId, operationOf } from '../../api/operations.ts'
import { type Family, families } from '../../families.ts'
import { useReason } from '../../shell/may.ts'
import { copyAway } from '../../ui/copy.tsx'
import { tellFailure } from '../../ui/failure.tsx'
import type { LabelMap } from '../../ui/labels-field.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { common as c } from '../../words/common.ts'
import { resources as w } from '../../words/resources.ts'
import { perform } from './submit.ts'

const Dialogs = lazy(async () => ({ default: (await import('./acts-dialogs.tsx')).ActsDialogs }))

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
  /** What goes with a resource that is deleted. */
  readonly lost: string | ((row: Row) => string)
  /** The button that deletes it, unless it says the name. */
  readonly deleteAct?: string
  /** Whether its name has to be typed before, because data is lost. */
  readonly losesData?: boolean
  /** Why it cannot be deleted in its present state. */
  readonly whyNot?: (row: Row) => string | undefined
}

export interface Asked<Row> {
  readonly kind: 'rename' | 'labels' | 'delete'
  readonly row: Row
}

interface ResourceActs<Row> {
  /** The menu of one resource; `own` comes first. */
  menu(row: Row, own?: readonly MenuEntry[]): readonly MenuEntry[]
  ask(asked: Asked<Row>): void
  /** Protects it, or takes the protection off. */
  protect(row: Row): Promise<void>
  readonly dialogs: ReactNode
}

/** A request about one resource, by the parameter that the path of the operation has for it. */
export function requestOn({ id }: { readonly id: number }, family: Family, act: string, body?: object): AnyRequest {
  const operation = `${family}_${act}` as OperationId
  const [, param = 'id'] = /\{(\w+)\}/.exec(operationOf(operation).path) ?? []
  return { operation, params: { [param]: id }, ...(body ? { body } : {}) }
}

/** `onRemoved` is called when a resource is gone, such as to leave its page. */
export function useResourceActs<Row extends Resource>(
  options: ActsOptions<Row>,
  onRemoved?: () => void,
): ResourceActs<Row> {
  const { family, whyNot } = options
  const { isKnownByName } = families[family]
  const [asked, ask] = useState<Asked<Row>>()
  const mayChange = useReason(`${family}_update`)
  const mayDelete = useReason(`${family}_remove`)
  const protectOperation = `${family}_changeProtection`
  const mayProtect = useReason(isOperation(protectOperation) ? protectOperation : undefined)
  const protect = useProtect(family)
  const menu = (row: Row, own: readonly MenuEntry[] = []): readonly MenuEntry[] => {
    const isProtected = row.protection?.delete ?? false
    const change = (kind: 'rename' | 'labels', label: string, icon: 'settings' | 'tag'): MenuEntry => ({
      key: kind,
      label,
      icon,
      isEdit: kind === (isKnownByName ? 'labels' : 'rename'),
      reason: mayChange,
      onSelect: () => ask({ kind, row }),
    })
    return [
      ...own,
      ...(own.length > 0 ? (['line'] as const) : []),
      ...(isKnownByName ? [] : [change('rename', w.rename, 'settings')]),
      change('labels', c.labels, 'tag'),
      ...(row.protection
        ? [
            {
              key: 'protect',
              label: isProtected ? w.unprotect : w.protect,
              icon: 'lock',
              reason: mayProtect,
              onSelect: () => void protect(row),
            } satisfies MenuEntry,
          ]
        : []),
      {
        key: 'copy',
        label: c.copyId,
        icon: 'copy',
        onSelect: () => copyAway(String(row.id)),
      },
      'line',
      {
        key: 'delete',
        label: c.delete,
        icon: 'trash',
        isBad: true,
        reason: mayDelete ?? (isProtected ? w.isProtected : whyNot?.(row)),
        onSelect: () => ask({ kind: 'delete', row }),
      },
    ]
  }
  const dialogs = asked && (
    <Suspense>
      <Dialogs {...asked} options={options as never} onRemoved={onRemoved} onClose={() => ask(undefined)} />
    </Suspense>
  )
  return { menu, ask, protect, dialogs }
}

function useProtect(family: ActsFamily): (row: Resource) => Promise<void> {
  const api = useApi()
  const outdate = useOutdate()
  return async (row) => {
    try {
      await perform(api, requestOn(row, family, 'changeProtection', { delete: !row.protection?.delete }) as never)
      await outdate(family)
    } catch (cause) {
      tellFailure(cause, w.notChanged(row.name))
    }
  }
}
