/** Attaching a volume to a server, and making it larger. */
import { useState } from 'react'
import { largestVolume } from '../../../src/families/volumes/domain.ts'
import { useApi, useOutdate } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { Commands } from '../../shell/commands.tsx'
import { Check } from '../../ui/check.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { resources } from '../../words/en/resources.ts'
import { volumes as english } from '../../words/en/volumes.ts'
import { number } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { FormFooter } from '../resources/acts.tsx'
import { useSubmission } from '../resources/submit.ts'
import { type Server, serverOptions, serversFor, useVolumePrice, type Volume } from './volume.ts'

const w = wordsOf('volumes', english)
const r = wordsOf('resources', resources)

interface AttachProps {
  readonly volume: Volume
  readonly servers: readonly Server[]
  readonly onClose: () => void
}

export function AttachDialog({ volume, servers, onClose }: AttachProps) {
  const api = useApi()
  const outdate = useOutdate()
  const fitting = serversFor({ location: volume.location.name }, servers)
  const [server, setServer] = useState('')
  const [automount, setAutomount] = useState(volume.format !== null)
  const request: ApiRequest<'volumes_attach'> = {
    operation: 'volumes_attach',
    params: { id: volume.id },
    body: { server: Number(server), automount },
  }
  const form = useSubmission(async () => {
    const { operation, ...input } = request
    await api.call(operation, input)
    await outdate('volumes', 'servers')
    onClose()
  }, ['server'])
  return (
    <Dialog
      title={w.attachTitle(volume.name)}
      onClose={onClose}
      onSubmit={form.send}
      footer={<FormFooter onClose={onClose} act={w.attach} isBusy={form.isBusy} isReady={server !== ''} />}
    >
      {fitting.length === 0 && <Note mood="warn">{w.noServer(volume.location.name)}</Note>}
      <SelectField
        label={r.server}
        hint={w.sameLocation}
        value={server}
        options={serverOptions(fitting, w.chooseServer)}
        onChange={setServer}
        problems={form.problems('server')}
      />
      <Check checked={automount} onChange={setAutomount}>
        {w.automount}
      </Check>
      {server !== '' && <Commands request={request} />}
      {form.cause !== undefined && <FailureNote cause={form.cause} />}
    </Dialog>
  )
}

export function ResizeDialog({ volume, onClose }: Omit<AttachProps, 'servers'>) {
  const api = useApi()
  const outdate = useOutdate()
  const priceOf = useVolumePrice()
  const [size, setSize] = useState(String(volume.size))
  const request: ApiRequest<'volumes_resize'> = {
    operation: 'volumes_resize',
    params: { id: volume.id },
    body: { size: Number(size) },
  }
  const form = useSubmission(async () => {
    const { operation, ...input } = request
    await api.call(operation, input)
    await outdate('volumes')
    onClose()
  }, ['size'])
  const isLarger = Number(size) > volume.size
  return (
    <Dialog
      title={w.resizeTitle(volume.name)}
      text={w.resizeText}
      onClose={onClose}
      onSubmit={() => isLarger && form.send()}
      footer={<FormFooter onClose={onClose} act={w.resize} isBusy={form.isBusy} isReady={isLarger} />}
    >
      <TextField
        label={w.sizeInGb}
        hint={w.sizes(number(volume.size + 1), number(largestVolume))}
        inputMode="numeric"
        value={size}
        onChange={setSize}
        problems={form.problems('size')}
      />
      <p className="dim" role="status">
        {w.priceChange(priceOf(volume.size) ?? '', priceOf(Number(size)) ?? '')}
      </p>
      <Commands request={request} />
      {form.cause !== undefined && <FailureNote cause={form.cause} />}
    </Dialog>
  )
}
