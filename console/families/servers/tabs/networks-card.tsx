/** The private networks of a server: its addresses there, attaching and detaching. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/api.ts'
import type { ApiRequest } from '../../../api/operations.ts'
import { linkTo } from '../../../families.ts'
import { AttachDialog } from '../../../pages/shared/attach-dialog.tsx'
import { ConfirmRequest } from '../../../pages/shared/confirm-request.tsx'
import { useReason } from '../../../shell/may.ts'
import { Button } from '../../../ui/button.tsx'
import card from '../../../ui/card.module.css'
import { Card, List } from '../../../ui/card.tsx'
import { Copyable } from '../../../ui/copy.tsx'
import { Link } from '../../../ui/link.tsx'
import { networks as n } from '../../networks/words.ts'
import { server as s } from '../detail.words.ts'
import type { Server } from '../server.ts'
import { busyReason } from './busy.ts'
import type { TabProps } from './tab.ts'
import { serverTabs } from './words.ts'

const w = serverTabs.networking
const changed = ['networks', 'servers']

type Member = Server['private_net'][number]

export function NetworksCard({ server, action }: TabProps) {
  const api = useApi()
  const { data: networks } = useSuspenseQuery(api.list('networks_list', {}))
  const [isAttaching, attach] = useState(false)
  const [leaving, leave] = useState<Member>()
  const mayAttach = useReason('networks_attachToNetwork')
  const mayDetach = useReason('networks_detachFromNetwork')
  const busy = busyReason(server, action)
  const nameOf = (id: number) => networks.find((one) => one.id === id)?.name ?? `#${id}`
  const free = networks.filter(({ id }) => !server.private_net.some(({ network }) => network === id))
  return (
    <Card
      title={w.networks}
      end={
        <Button
          small
          icon="plus"
          reason={mayAttach ?? busy ?? (free.length === 0 ? w.noMore : undefined)}
          onClick={() => attach(true)}
        >
          {w.attach}
        </Button>
      }
    >
      {server.private_net.length === 0 && <p className={card.pad}>{s.noNetworks}</p>}
      <List>
        {server.private_net.map((member) => (
          <li key={member.network}>
            <span>
              <Link {...linkTo('networks', 'one', { id: member.network })}>{nameOf(member.network)}</Link>
              <Copyable text={member.ip} />
              <small>
                {[
                  ...(member.alias_ips.length > 0 ? [w.aliases(member.alias_ips.join(', '))] : []),
                  w.mac(member.mac_address),
                ].join(' · ')}
              </small>
            </span>
            <span className="end">
              <Button small reason={mayDetach ?? busy} onClick={() => leave(member)}>
                {w.detachOf(nameOf(member.network))}
              </Button>
            </span>
          </li>
        ))}
      </List>
      {isAttaching && (
        <AttachDialog
          words={{
            title: w.attachTitle(server.name),
            act: w.attach,
            network: w.network,
            choose: w.choose,
            address: n.address,
            addressHint: n.addressHint,
          }}
          networks={free}
          request={{ operation: 'networks_attachToNetwork', params: { id: server.id } }}
          families={changed}
          onClose={() => attach(false)}
        />
      )}
      {leaving && (
        <DetachDialog
          server={server}
          member={leaving}
          network={nameOf(leaving.network)}
          onClose={() => leave(undefined)}
        />
      )}
    </Card>
  )
}

interface DetachProps {
  readonly server: Server
  readonly member: Member
  readonly network: string
  readonly onClose: () => void
}

function DetachDialog({ server, member, network, onClose }: DetachProps) {
  const request: ApiRequest<'networks_detachFromNetwork'> = {
    operation: 'networks_detachFromNetwork',
    params: { id: server.id },
    body: { network: member.network },
  }
  return (
    <ConfirmRequest
      title={n.detachTitle(server.name, network)}
      text={n.detachText(member.ip)}
      act={n.detach}
      request={request}
      families={changed}
      onClose={onClose}
    />
  )
}
