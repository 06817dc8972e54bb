/** Applies a firewall to servers that are selected, or takes it off them. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { Seg } from '../../ui/seg.tsx'
import { common as c } from '../../words/common.ts'
import { list } from '../../words/format.ts'
import { serverDialogs as d } from './dialogs.words.ts'
import type { Server } from './server.ts'
import { servers as w } from './words.ts'

type Way = 'apply' | 'remove'

interface FirewallsDialogProps {
  readonly servers: readonly Server[]
  readonly onClose: () => void
}

export function FirewallsDialog({ servers, onClose }: FirewallsDialogProps) {
  const api = useApi()
  const { data: firewalls = [] } = useQuery(api.list('firewalls_list', {}))
  const [way, setWay] = useState<Way>('apply')
  const [chosen, choose] = useState('')
  const has = ({ public_net: { firewalls: all } }: Server) => all.some(({ id }) => id === Number(chosen))
  const concerned = servers.filter((server) => has(server) === (way === 'remove'))
  const others = servers.filter((server) => !concerned.includes(server)).map(({ name }) => name)
  const isReady = chosen !== '' && concerned.length > 0
  return (
    <FormDialog
      title={d.firewallsOf(
        list(
          servers.map(({ name }) => name),
          c.andMore,
        ),
      )}
      act={way === 'apply' ? d.applyFirewall(concerned.length) : d.removeFirewall(concerned.length)}
      isBad={way === 'remove'}
      request={isReady ? requestFor(way, Number(chosen), concerned) : undefined}
      families={['firewalls', 'servers']}
      onClose={onClose}
    >
      <Seg
        label={w.acts.firewalls}
        value={way}
        options={(['apply', 'remove'] as const).map((value) => ({ value, label: d.firewallWays[value] }))}
        onChange={setWay}
      />
      <SelectField
        label={d.firewall}
        value={chosen}
        options={[
          { value: '', label: d.chooseFirewall },
          ...firewalls.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        onChange={choose}
      />
      {chosen !== '' && others.length > 0 && <Note>{d.firewallStays[way](list(others, c.andMore))}</Note>}
    </FormDialog>
  )
}

function requestFor(way: Way, id: number, servers: readonly Server[]): ApiRequest {
  const targets = servers.map((server) => ({ type: 'server' as const, server: { id: server.id } }))
  return way === 'apply'
    ? { operation: 'firewalls_applyToResources', params: { id }, body: { apply_to: targets } }
    : { operation: 'firewalls_removeFromResources', params: { id }, body: { remove_from: targets } }
}
