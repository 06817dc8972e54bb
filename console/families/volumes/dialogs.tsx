/** Attaching a volume to a server, and making it larger. */

import { useState } from 'react'
import { largestVolume } from '../../../src/families/volumes/domain.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { typedNumber } from '../../lib/typed-number.ts'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { Check } from '../../ui/check.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { number } from '../../words/format.ts'
import { prices as p } from '../../words/prices.ts'
import { resources as r } from '../../words/resources.ts'
import { type Server, serverOptions, serversFor, useVolumePrice, type Volume } from './volume.ts'
import { volumes as w } from './words.ts'

interface AttachProps {
  readonly volume: Volume
  readonly servers: readonly Server[]
  readonly onClose: () => void
}

export function AttachDialog({ volume, servers, onClose }: AttachProps) {
  const fitting = serversFor({ location: volume.location.name }, servers)
  const [server, setServer] = useState('')
  const [automount, setAutomount] = useState(volume.format !== null)
  const request: ApiRequest<'volumes_attach'> = {
    operation: 'volumes_attach',
    params: { id: volume.id },
    body: { server: Number(server), automount },
  }
  return (
    <FormDialog
      title={w.attachTitle(volume.name)}
      act={w.attach}
      request={server === '' ? undefined : request}
      families={['volumes', 'servers']}
      onClose={onClose}
    >
      {(problems) => (
        <>
          {fitting.length === 0 && <Note mood="warn">{w.noServer(volume.location.name)}</Note>}
          <SelectField
            label={r.server}
            hint={w.sameLocation}
            value={server}
            options={serverOptions(fitting, w.chooseServer)}
            onChange={setServer}
            problems={problems('server')}
          />
          <Check checked={automount} onChange={setAutomount}>
            {w.automount}
          </Check>
        </>
      )}
    </FormDialog>
  )
}

export function ResizeDialog({ volume, onClose }: Omit<AttachProps, 'servers'>) {
  const priceOf = useVolumePrice()
  const [size, setSize] = useState(String(volume.size))
  const request: ApiRequest<'volumes_resize'> = {
    operation: 'volumes_resize',
    params: { id: volume.id },
    body: { size: typedNumber(size) },
  }
  const isLarger = Number(size) > volume.size
  return (
    <FormDialog
      title={w.resizeTitle(volume.name)}
      text={w.resizeText}
      act={w.resize}
      request={request}
      isReady={isLarger}
      families={['volumes']}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <TextField
            label={w.sizeInGb}
            hint={w.sizes(number(volume.size + 1), number(largestVolume))}
            inputMode="numeric"
            value={size}
            onChange={setSize}
            problems={problems('size')}
          />
          <p className="dim" role="status">
            {p.change(priceOf(volume.size) ?? '', priceOf(Number(size)) ?? '')}
          </p>
        </>
      )}
    </FormDialog>
  )
}
