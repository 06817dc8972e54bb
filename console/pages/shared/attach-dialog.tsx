/** The dialog that attaches something to a network: which one, and by which address. */
import { useState } from 'react'
import type { AnyRequest } from '../../api/operations.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from './form-dialog.tsx'

interface AttachDialogProps {
  readonly words: {
    readonly title: string
    readonly act: string
    readonly network: string
    /** Asks for a choice between several; without it the first one is chosen. */
    readonly choose?: string
    readonly address: string
    readonly addressHint: string
  }
  /** Those that it is not in. */
  readonly networks: readonly { readonly id: number; readonly name: string; readonly ip_range: string }[]
  readonly request: Pick<AnyRequest, 'operation' | 'params'>
  readonly families: readonly string[]
  readonly onClose: () => void
}

export function AttachDialog({ words: w, networks, request, families, onClose }: AttachDialogProps) {
  const asks = w.choose !== undefined && networks.length > 1
  const [network, setNetwork] = useState(asks ? '' : String(networks[0]?.id ?? ''))
  const [ip, setIp] = useState('')
  const body = { network: Number(network), ...(ip.trim() === '' ? {} : { ip: ip.trim() }) }
  return (
    <FormDialog
      title={w.title}
      act={w.act}
      request={network === '' ? undefined : ({ ...request, body } as never)}
      families={families}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <SelectField
            label={w.network}
            value={network}
            options={[
              ...(asks ? [{ value: '', label: w.choose ?? '' }] : []),
              ...networks.map(({ id, name, ip_range: range }) => ({ value: String(id), label: `${name} · ${range}` })),
            ]}
            problems={problems('network')}
            onChange={setNetwork}
          />
          <TextField
            label={w.address}
            hint={w.addressHint}
            isMono
            value={ip}
            problems={problems('ip')}
            onChange={setIp}
          />
        </>
      )}
    </FormDialog>
  )
}
