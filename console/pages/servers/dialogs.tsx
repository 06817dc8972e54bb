/** The dialogs of acts on servers. */
import { useApi } from '../../api/api.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { common } from '../../words/en/common.ts'
import { servers as english } from '../../words/en/servers.ts'
import { list } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import type { Asked } from './acts.tsx'
import { LabelsDialog } from './labels-dialog.tsx'
import type { Server } from './server.ts'

const w = wordsOf('servers', english)
const c = wordsOf('common', common)

interface DialogsProps {
  readonly asked: Asked
  /** Does the same to all of them. */
  readonly each: (servers: readonly Server[], act: (server: Server) => Promise<unknown>) => Promise<void>
  readonly onClose: () => void
}

export function ServerDialogs({ asked: { kind, servers, done }, each, onClose }: DialogsProps) {
  const api = useApi()
  if (kind === 'labels') return <LabelsDialog servers={servers} each={each} onClose={onClose} />
  const names = servers.map(({ name }) => name)
  const remove = async () => {
    await each(servers, ({ id }) => api.call('servers_remove', { params: { id } }))
    done()
  }
  return (
    <Confirm
      title={w.deleteTitle(list(names, c.andMore))}
      text={w.deleteText(servers.length)}
      act={w.deleteAct(servers.length)}
      keep={servers.length === 1 ? c.keep : c.keepThem}
      word={servers.length === 1 ? names[0] : w.deleteWord(servers.length)}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
