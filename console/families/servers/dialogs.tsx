/** The dialogs of acts on servers. */
import { useApi } from '../../api/api.ts'
import type { AnyRequest } from '../../api/operations.ts'
import { Equivalents } from '../../pages/shared/equivalents.tsx'
import { RenameDialog } from '../../pages/shared/rename-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { List } from '../../ui/card.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { State } from '../../ui/state.tsx'
import { common as c } from '../../words/common.ts'
import { list } from '../../words/format.ts'
import { server as one } from './detail.words.ts'
import { serverDialogs as d } from './dialogs.words.ts'
import type { Each, Result } from './each.ts'
import { FirewallsDialog } from './firewalls-dialog.tsx'
import { LabelsDialog } from './labels-dialog.tsx'
import { skipOf } from './power.ts'
import type { Server } from './server.ts'
import type { Asked, Cut } from './server-acts.ts'
import { servers as w } from './words.ts'

interface DialogsProps {
  readonly asked: Asked | undefined
  /** The results of the last act on many. */
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
  if (kind === 'delete') return <DeleteDialog {...{ servers, each, done, onClose }} />
  return <CutDialog {...{ kind, servers, each, onClose }} />
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
      title={d.deleteTitle(list(names, c.andMore))}
      text={d.deleteText(servers.length)}
      act={d.deleteAct(servers.length)}
      keep={servers.length === 1 ? c.keep : c.keepThem}
      word={servers.length === 1 ? names[0] : d.deleteWord(servers.length)}
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

/** Names those that are interrupted, and those of the selection that stay as they are. */
function CutDialog({ kind, servers, each, onClose }: CutProps) {
  const api = useApi()
  const skip = skipOf(kind, servers)
  const staying = servers.filter((server) => skip?.(server) !== undefined)
  const cut = servers.filter((server) => !staying.includes(server))
  const namesOf = (some: readonly Server[]) =>
    list(
      some.map(({ name }) => name),
      c.andMore,
    )
  const words = one.cut[kind]
  return (
    <Confirm
      title={words.title(namesOf(cut))}
      text={words.text(cut.length)}
      act={words.act(cut.length)}
      keep={cut.length === 1 ? one.cut.keep : one.cut.keepThem}
      onConfirm={() => each(servers, ({ id }) => api.call(`servers_${kind}`, { params: { id } }), skip)}
      onClose={onClose}
    >
      {staying.length > 0 && <p className="dim">{one.cut.stays(namesOf(staying))}</p>}
      <Equivalents request={cut.map(({ id }): AnyRequest => ({ operation: `servers_${kind}`, params: { id } }))} />
    </Confirm>
  )
}

/** Each server, whether it was changed, and why not. */
function ResultsDialog({ results, onClose }: { readonly results: readonly Result[]; readonly onClose: () => void }) {
  const failed = results.filter(({ problem }) => problem !== undefined)
  return (
    <Dialog
      title={d.someFailed(failed.length, results.length)}
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
            <span className="end dim">{problem ?? d.done}</span>
          </li>
        ))}
      </List>
    </Dialog>
  )
}
