/** Labels of one server, or labels that many get in addition. */
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { common } from '../../words/en/common.ts'
import { list } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { Equivalents } from '../shared/equivalents.tsx'
import { perform } from '../shared/submit.ts'
import type { Each } from './acts.tsx'
import type { Server } from './server.ts'

const c = wordsOf('common', common)

interface LabelsDialogProps {
  readonly servers: readonly Server[]
  readonly each: Each
  readonly onClose: () => void
}

export function LabelsDialog({ servers, each, onClose }: LabelsDialogProps) {
  const api = useApi()
  const only = servers.length === 1 ? servers[0] : undefined
  const [labels, setLabels] = useState<LabelMap>(only?.labels ?? {})
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
      <LabelsField value={labels} onChange={setLabels} />
      <Equivalents request={servers.map(requestFor)} labels={only?.labels} />
    </Dialog>
  )
}
