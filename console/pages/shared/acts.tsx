/** The acts on a resource of any family: rename, labels, protection, deletion, and its id to copy. */

import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useApi } from '../../api/api.ts'
import { isOperation } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { families } from '../../families.ts'
import { useReason } from '../../shell/may.ts'
import { copyAway } from '../../ui/copy.tsx'
import { tellFailure } from '../../ui/failure.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { common as c } from '../../words/common.ts'
import { resources as w } from '../../words/resources.ts'
import { type ActsFamily, type ActsOptions, type Asked, type Resource, requestOn } from './act.ts'
import { perform } from './submit.ts'

const Dialogs = lazy(async () => ({ default: (await import('./acts-dialogs.tsx')).ActsDialogs }))

interface ResourceActs<Row> {
  /** The menu of one resource; `own` comes first. */
  menu(row: Row, own?: readonly MenuEntry[]): readonly MenuEntry[]
  ask(asked: Asked<Row>): void
  /** Protects it, or takes the protection off. */
  protect(row: Row): Promise<void>
  readonly dialogs: ReactNode
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
