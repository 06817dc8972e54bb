/** What can be done with a resource of any family: rename, labels, protection, deletion, and its id to copy. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useApi, useOutdate } from '../../api/api.ts'
import { useReason } from '../../shell/may.ts'
import { wordsFor } from '../../ui/failure.tsx'
import type { LabelMap } from '../../ui/labels-field.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { toast } from '../../ui/toasts.ts'
import { common } from '../../words/en/common.ts'
import { resources as english } from '../../words/en/resources.ts'
import { wordsOf } from '../../words/words.ts'
import { perform } from './submit.ts'

const w = wordsOf('resources', english)
const Dialogs = lazy(async () => ({ default: (await import('./acts-dialogs.tsx')).ActsDialogs }))
const c = wordsOf('common', common)

/** The families whose resources have a name, labels and, but for firewalls, a protection. */
export type PlainFamily = 'firewalls' | 'floating_ips' | 'primary_ips' | 'load_balancers'
type ProtectedFamily = Exclude<PlainFamily, 'firewalls'>

export interface PlainResource {
  readonly id: number
  readonly name: string
  readonly labels: LabelMap
  readonly protection?: { readonly delete: boolean }
}

interface Asked {
  readonly kind: 'rename' | 'labels' | 'delete'
  readonly resource: PlainResource
}

interface PlainActs {
  /** Entries of a menu; `whyNot` is why it cannot be deleted now. */
  menu(resource: PlainResource, whyNot?: string): readonly MenuEntry[]
  remove(resource: PlainResource): void
  readonly dialogs: ReactNode
}

interface PlainOptions {
  readonly family: PlainFamily
  /** What else is lost with it. */
  readonly lost: string
  readonly onRemoved?: () => void
}

export function usePlainActs({ family, lost, onRemoved }: PlainOptions): PlainActs {
  const api = useApi()
  const outdate = useOutdate()
  const [asked, ask] = useState<Asked>()
  const mayChange = useReason(`${family}_update`)
  const mayDelete = useReason(`${family}_remove`)
  const protect = async ({ id, name, protection }: PlainResource) => {
    const request = {
      operation: `${family as ProtectedFamily}_changeProtection` as const,
      params: { id },
      body: { delete: !protection?.delete },
    }
    try {
      await perform(api, request)
      await outdate(family)
    } catch (cause) {
      toast({ mood: 'bad', title: w.notChanged(name), text: wordsFor(cause) })
    }
  }
  const menu = (resource: PlainResource, whyNot?: string): readonly MenuEntry[] => {
    const { id, protection } = resource
    const isProtected = protection?.delete ?? false
    return [
      {
        key: 'rename',
        label: w.rename,
        icon: 'settings',
        reason: mayChange,
        onSelect: () => ask({ kind: 'rename', resource }),
      },
      {
        key: 'labels',
        label: c.labels,
        icon: 'tag',
        reason: mayChange,
        onSelect: () => ask({ kind: 'labels', resource }),
      },
      ...(protection
        ? [
            {
              key: 'protect',
              label: isProtected ? w.unprotect : w.protect,
              icon: 'lock' as const,
              reason: mayChange,
              onSelect: () => void protect(resource),
            },
          ]
        : []),
      { key: 'copy', label: c.copyId, icon: 'copy', onSelect: () => void navigator.clipboard?.writeText(String(id)) },
      'line',
      {
        key: 'delete',
        label: c.delete,
        icon: 'trash',
        isBad: true,
        reason: mayDelete ?? (isProtected ? w.isProtected : whyNot),
        onSelect: () => ask({ kind: 'delete', resource }),
      },
    ]
  }
  const dialogs = asked && (
    <Suspense>
      <Dialogs {...asked} {...{ family, lost, onRemoved }} onClose={() => ask(undefined)} />
    </Suspense>
  )
  return { menu, remove: (resource) => ask({ kind: 'delete', resource }), dialogs }
}
