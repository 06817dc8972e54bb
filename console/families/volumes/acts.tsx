/** The acts on volumes: attaching, detaching, resizing, and those that every resource has. */
import { type ReactNode, useState } from 'react'
import type { ApiRequest } from '../../api/operations.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { useReason } from '../../shell/may.ts'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { AttachDialog, ResizeDialog } from './dialogs.tsx'
import { type Server, type Volume, volumeActs } from './volume.ts'
import { volumes as w } from './words.ts'

interface VolumeActs {
  menu(volume: Volume): readonly MenuEntry[]
  attach(volume: Volume): void
  /** The reason why nothing can be attached; undefined when it can. */
  readonly mayAttach: string | undefined
  readonly dialogs: ReactNode
}

/** `onRemoved` is called when a volume is gone, such as to leave its page. */
export function useVolumeActs(servers: readonly Server[], onRemoved?: () => void): VolumeActs {
  const [asked, ask] = useState<{ readonly kind: 'attach' | 'detach' | 'resize'; readonly volume: Volume }>()
  const acts = useResourceActs(volumeActs, onRemoved)
  const mayAttach = useReason('volumes_attach')
  const mayResize = useReason('volumes_resize')
  const close = () => ask(undefined)
  const { kind, volume } = asked ?? {}
  return {
    attach: (one) => ask({ kind: 'attach', volume: one }),
    mayAttach,
    menu: (one) =>
      acts.menu(one, [
        one.server === null
          ? {
              key: 'attach',
              label: w.attach,
              icon: 'link',
              reason: mayAttach,
              onSelect: () => ask({ kind: 'attach', volume: one }),
            }
          : {
              key: 'detach',
              label: w.detach,
              icon: 'undo',
              reason: mayAttach,
              onSelect: () => ask({ kind: 'detach', volume: one }),
            },
        {
          key: 'resize',
          label: w.resize,
          icon: 'up',
          reason: mayResize,
          onSelect: () => ask({ kind: 'resize', volume: one }),
        },
      ]),
    dialogs: (
      <>
        {volume && kind === 'attach' && <AttachDialog volume={volume} servers={servers} onClose={close} />}
        {volume && kind === 'resize' && <ResizeDialog volume={volume} onClose={close} />}
        {volume && kind === 'detach' && <DetachDialog volume={volume} onClose={close} />}
        {acts.dialogs}
      </>
    ),
  }
}

function DetachDialog({ volume, onClose }: { readonly volume: Volume; readonly onClose: () => void }) {
  const request: ApiRequest<'volumes_detach'> = { operation: 'volumes_detach', params: { id: volume.id } }
  return (
    <FormDialog
      title={w.detachTitle(volume.name)}
      text={w.detachText}
      act={w.detach}
      isBad
      request={request}
      families={['volumes', 'servers']}
      onClose={onClose}
    />
  )
}
