/** The acts on Storage Boxes: type, password, and those that every resource has. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { type Password, PasswordsDialog } from '../../pages/shared/passwords-dialog.tsx'
import { useReason } from '../../shell/may.ts'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { type Box, boxActs } from './box.ts'
import { boxes as w } from './words.ts'

const TypeDialog = lazy(async () => ({ default: (await import('./dialogs.tsx')).TypeDialog }))
const PasswordDialog = lazy(async () => ({ default: (await import('./dialogs.tsx')).PasswordDialog }))

export interface BoxActs {
  menu(box: Box): readonly MenuEntry[]
  ask(kind: 'type' | 'password', box: Box): void
  readonly dialogs: ReactNode
}

/** `onRemoved` is called when a box is gone, such as to leave its page. */
export function useBoxActs(onRemoved?: () => void): BoxActs {
  const [asked, setAsked] = useState<{ readonly kind: 'type' | 'password'; readonly box: Box }>()
  const acts = useResourceActs(boxActs, onRemoved)
  const [set, showSet] = useState<Password>()
  const mayType = useReason('storage_boxes_changeType')
  const mayPassword = useReason('storage_boxes_resetPassword')
  const ask: BoxActs['ask'] = (kind, box) => setAsked({ kind, box })
  const close = () => setAsked(undefined)
  return {
    ask,
    menu: (box) => {
      const notYet = box.status === 'initializing' ? w.notYet : undefined
      return acts.menu(box, [
        {
          key: 'type',
          label: w.changeType,
          icon: 'updown',
          reason: mayType ?? notYet,
          onSelect: () => ask('type', box),
        },
        {
          key: 'password',
          label: w.resetPassword,
          icon: 'key',
          reason: mayPassword ?? notYet,
          onSelect: () => ask('password', box),
        },
      ])
    },
    dialogs: (
      <>
        {asked && (
          <Suspense>
            {asked.kind === 'type' ? (
              <TypeDialog box={asked.box} onClose={close} />
            ) : (
              <PasswordDialog
                box={asked.box}
                onSet={(password) => showSet({ name: asked.box.name, password })}
                onClose={close}
              />
            )}
          </Suspense>
        )}
        {set && <PasswordsDialog title={w.passwordOf(set.name)} passwords={[set]} onClose={() => showSet(undefined)} />}
        {acts.dialogs}
      </>
    ),
  }
}
