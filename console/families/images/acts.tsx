/** The acts on images: servers are made from all of them, and those of the Project can be changed. */

import { type ReactNode, useState } from 'react'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { useReason } from '../../shell/may.ts'
import { useGo } from '../../ui/link.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { imageActs, isOwn, type Shown } from './image.ts'
import { images as w } from './words.ts'

interface ImageActs {
  menu(image: Shown): readonly MenuEntry[]
  /** Returns why no server can be made from it now. */
  createReason(image: Shown): string | undefined
  create(image: Shown): void
  readonly dialogs: ReactNode
}

/** `onRemoved` is called when an image is gone, such as to leave its page. */
export function useImageActs(onRemoved?: () => void): ImageActs {
  const go = useGo()
  const acts = useResourceActs(imageActs, onRemoved)
  const [kept, keep] = useState<Shown>()
  const mayCreate = useReason('servers_create')
  const mayUpdate = useReason('images_update')
  const createReason = ({ status }: Shown) => mayCreate ?? (status === 'creating' ? w.isCreating : undefined)
  const create = ({ id, slug }: Shown) =>
    void go({ ...linkTo('servers', 'create'), search: { image: slug ?? String(id) } })
  return {
    create,
    createReason,
    menu: (image) => [
      {
        key: 'server',
        label: w.createServer,
        icon: 'server',
        reason: createReason(image),
        onSelect: () => create(image),
      },
      ...(image.type === 'backup'
        ? ([
            { key: 'keep', label: w.makeSnapshot, icon: 'copy', reason: mayUpdate, onSelect: () => keep(image) },
          ] as const)
        : []),
      ...(isOwn(image) ? (['line', ...acts.menu(image)] as const) : []),
    ],
    dialogs: (
      <>
        {kept && <KeepDialog image={kept} onClose={() => keep(undefined)} />}
        {acts.dialogs}
      </>
    ),
  }
}

function KeepDialog({ image: { id, name }, onClose }: { readonly image: Shown; readonly onClose: () => void }) {
  const request: ApiRequest<'images_update'> = {
    operation: 'images_update',
    params: { id },
    body: { type: 'snapshot' },
  }
  return (
    <FormDialog
      title={w.keepTitle(name)}
      text={w.keepText}
      act={w.makeSnapshot}
      request={request}
      families={['images']}
      onClose={onClose}
    />
  )
}
