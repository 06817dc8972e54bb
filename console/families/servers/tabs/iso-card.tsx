/** Shows what is in the drive of the server. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/api.ts'
import { useReason } from '../../../shell/may.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, Facts } from '../../../ui/card.tsx'
import { SelectField } from '../../../ui/field.tsx'
import type { ChangeProps } from './change-dialogs.tsx'
import { serverTabs } from './words.ts'

const w = serverTabs.change

export function IsoCard({ server: { iso, server_type: type }, busy, ask }: ChangeProps) {
  const api = useApi()
  const { data: isos } = useSuspenseQuery(
    api.list('isos_list', {
      query: { architecture: [type.architecture], include_architecture_wildcard: true },
    }),
  )
  const [chosen, choose] = useState('')
  const mayAttach = useReason('servers_attachIso')
  const mayDetach = useReason('servers_detachIso')
  const wanted = isos.find(({ id }) => String(id) === chosen)
  return (
    <Card title={w.iso} padded>
      {iso ? <Facts rows={[[w.attached, iso.name ?? iso.description]]} /> : <p className="dim">{w.isoText}</p>}
      <SelectField
        label={w.attachIso}
        isLabelHidden
        value={chosen}
        options={[
          { value: '', label: w.noIso },
          ...isos.map(({ id, name, description }) => ({ value: String(id), label: name ?? description })),
        ]}
        onChange={choose}
      />
      <p className="row wrap">
        <Button
          reason={mayAttach ?? busy ?? (wanted ? undefined : w.chooseIso)}
          onClick={() => wanted && ask({ kind: 'attach-iso', iso: wanted.name ?? String(wanted.id) })}
        >
          {w.attachIso}
        </Button>
        {iso && (
          <Button reason={mayDetach ?? busy} onClick={() => ask({ kind: 'detach-iso' })}>
            {w.detachIso}
          </Button>
        )}
      </p>
    </Card>
  )
}
