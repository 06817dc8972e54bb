/** The dialogs of acts on servers. */
import { useApi } from '../../api/api.ts'
import type { AnyRequest } from '../../api/operations.ts'
import { Button } from '../../ui/button.tsx'
import { List } from '../../ui/card.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { State } from '../../ui/state.tsx'
import { common } from '../../words/en/common.ts'
import { server } from '../../words/en/server.ts'
import { servers as english } from '../../words/en/servers.ts'
import { list } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { Equivalents } from '../shared/equivalents.tsx'
import { RenameDialog } from '../shared/rename-dialog.tsx'
import type { Asked, Cut, Each, Result } from './acts.tsx'
import { FirewallsDialog } from './firewalls-dialog.tsx'
import { LabelsDialog } from './labels-dialog.tsx'
import type { Server } from './server.ts'

const w = wordsOf('servers', english)
const one = wordsOf('server', server)
const c = wordsOf('common', common)

interface DialogsProps {
  readonly asked: Asked | undefined
  /** What came of the last act on many. */
  readonly results: readonly Result[]
  readonly each: Each
  readonly onClose: () => void
}

export function ServerDialogs({ asked, results, each, onClose }: DialogsProps) {
  if (!asked) return <ResultsDialog results={results} onClose={onClose} />
  const { kind, servers, done } = asked
  if (kind === 'rename') return <RenameDialog family="servers" row={servers[0]!} onClose={onClose} />
  if (kind === 'labels') return <LabelsDialog servers={servers} each={each} onClose={onClose} />
  if (kind === 'firewalls') return <FirewallsDialog servers={servers} onClose={onClose} />
  if (kind === 'powerOff' || kind === 'reset') return <CutDialog {...{ kind, servers, each, onClose }} />
  return <DeleteDialog {...{ servers, each, done, onClose }} />
}

interface DeleteProps extends Pick<Asked, 'servers' | 'done'> {
  readonly each: Each
  readonly onClose: () => void
}

function DeleteDialog({ servers, each, done, onClose }: DeleteProps) {
  const api = useApi()
  const names = servers.map(({ name }) => name)
  const remove = async () => {
    await each(
      servers,
      ({ id }) => api.call('servers_remove', { params: { id } }),
      ({ protection }) => (protection.delete ? w.isProtected : undefined),
    )
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
    >
      <Equivalents request={servers.map(({ id }): AnyRequest => ({ operation: 'servers_remove', params: { id } }))} />
    </Confirm>
  )
}

interface CutProps {
  readonly kind: Cut
  readonly servers: readonly Server[]
  readonly each: Each
  readonly onClose: () => void
}

/** What is not on its disk yet is lost when a server stops like this. */
function CutDialog({ kind, servers, each, onClose }: CutProps) {
  const api = useApi()
  const names = servers.map(({ name }) => name)
  return (
    <Confirm
      title={one.cut[kind].title(list(names, c.andMore))}
      text={one.cut[kind].text}
      act={w.acts[kind]}
      keep={one.cut.keep}
      onConfirm={() => each(servers, ({ id }) => api.call(`servers_${kind}`, { params: { id } }))}
      onClose={onClose}
    >
      <Equivalents request={servers.map(({ id }): AnyRequest => ({ operation: `servers_${kind}`, params: { id } }))} />
    </Confirm>
  )
}

/** Each server, whether it was changed, and why not. */
function ResultsDialog({ results, onClose }: { readonly results: readonly Result[]; readonly onClose: () => void }) {
  const failed = results.filter(({ problem }) => problem !== undefined)
  return (
    <Dialog
      title={w.someFailed(failed.length, results.length)}
      onClose={onClose}
      footer={
        <span className="end">
          <Button look="primary" onClick={onClose}>
            {c.close}
          </Button>
        </span>
      }
    >
      <List>
        {results.map(({ server, problem, isSkipped }) => (
          <li key={server.id}>
            <State mood={problem === undefined ? 'ok' : isSkipped ? 'off' : 'bad'}>{server.name}</State>
            <span className="end dim">{problem ?? w.done}</span>
          </li>
        ))}
      </List>
    </Dialog>
  )
}
