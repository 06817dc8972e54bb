/** Labels of one server, or labels that many get in addition. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { toFailure } from '../../api/failure.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { DeletedElsewhere, Elsewhere } from '../../ui/elsewhere.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { common } from '../../words/en/common.ts'
import { list } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { Equivalents } from '../shared/equivalents.tsx'
import { perform } from '../shared/submit.ts'
import type { Each } from './acts.tsx'
import type { Server } from './server.ts'

const c = wordsOf('common', common)

const none: LabelMap = {}

interface LabelsDialogProps {
  readonly servers: readonly Server[]
  readonly each: Each
  readonly onClose: () => void
}

export function LabelsDialog({ servers, each, onClose }: LabelsDialogProps) {
  const api = useApi()
  const only = servers.length === 1 ? servers[0] : undefined
  const { data, error } = useQuery({
    ...api.query('servers_get', { params: { id: only?.id ?? 0 } }),
    enabled: only !== undefined,
  })
  const draft = useDraft<{ readonly labels: LabelMap }>({ labels: data?.server.labels ?? only?.labels ?? none })
  const { labels } = draft.value
  const [isBusy, setBusy] = useState(false)
  const requestFor = ({ id, labels: old }: Server): ApiRequest<'servers_update'> => ({
    operation: 'servers_update',
    params: { id },
    body: { labels: only ? { ...labels } : { ...old, ...labels } },
  })
  const save = async () => {
    setBusy(true)
    await each(servers, (server) => perform(api, requestFor(server)))
    onClose()
  }
  return (
    <Dialog
      title={`${c.labels}: ${list(
        servers.map(({ name }) => name),
        c.andMore,
      )}`}
      isDirty={draft.isDirty && !isBusy}
      onClose={onClose}
      onSubmit={() => void save()}
      footer={
        <span className="end row">
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={isBusy}>
            {c.save}
          </Button>
        </span>
      }
    >
      <LabelsField value={labels} onChange={(labels) => draft.change({ labels })} />
      <Elsewhere {...draft} />
      {error && toFailure(error).status === 404 && <DeletedElsewhere />}
      <Equivalents request={servers.map(requestFor)} labels={data?.server.labels ?? only?.labels} />
    </Dialog>
  )
}
