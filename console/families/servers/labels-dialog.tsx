/** Labels of one server, or labels that many get in addition. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { toFailure } from '../../api/failure.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { Equivalents } from '../../pages/shared/equivalents.tsx'
import { perform } from '../../pages/shared/submit.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DeletedElsewhere, Elsewhere } from '../../ui/elsewhere.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { FormFooter } from '../../ui/form-footer.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { common as c } from '../../words/common.ts'
import { list } from '../../words/format.ts'
import type { Each } from './each.ts'
import type { Server } from './server.ts'

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
  const one = useSubmit()
  const outdate = useOutdate()
  const requestFor = ({ id, labels: old }: Server): ApiRequest<'servers_update'> => ({
    operation: 'servers_update',
    params: { id },
    body: { labels: only ? { ...labels } : { ...old, ...labels } },
  })
  const saveOne = async (server: Server) => {
    const isSaved = await one.run(async () => {
      await perform(api, requestFor(server))
      await outdate('servers')
    })
    if (isSaved) onClose()
  }
  const saveAll = async () => {
    setBusy(true)
    await each(servers, async ({ id }) => {
      // Labels that others have added meanwhile stay.
      const { server } = await api.call('servers_get', { params: { id } })
      return perform(api, requestFor(server))
    })
    onClose()
  }
  const isReady = only !== undefined || Object.keys(labels).length > 0
  const save = () => {
    if (isReady) void (only ? saveOne(only) : saveAll())
  }
  return (
    <Dialog
      title={`${c.labels}: ${list(
        servers.map(({ name }) => name),
        c.andMore,
      )}`}
      isDirty={draft.isDirty && !isBusy && !one.isBusy}
      onClose={onClose}
      onSubmit={save}
      footer={<FormFooter act={c.save} isBusy={isBusy || one.isBusy} isReady={isReady} onClose={onClose} />}
    >
      <LabelsField value={labels} onChange={(labels) => draft.change({ labels })} problems={one.problemsOf('labels')} />
      <Elsewhere {...draft} />
      {error && toFailure(error).status === 404 && <DeletedElsewhere />}
      {one.cause !== undefined && <FailureNote cause={one.cause} />}
      <Equivalents request={servers.map(requestFor)} labels={data?.server.labels ?? only?.labels} />
    </Dialog>
  )
}
