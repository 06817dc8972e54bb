/** The private network of a Load Balancer, and whether it listens on its public addresses. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { AttachDialog } from '../../pages/shared/attach-dialog.tsx'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { Halves } from '../../ui/page.tsx'
import { State } from '../../ui/state.tsx'
import type { Balancer } from './balancer.ts'
import { balancers as w } from './words.ts'

type Asked = 'attach' | 'detach' | 'public'

interface PartProps {
  readonly balancer: Balancer
  readonly ask: (asked: Asked) => void
}

export function NetworkTab({ balancer }: { readonly balancer: Balancer }) {
  const [asked, ask] = useState<Asked>()
  return (
    <>
      <Halves>
        <PrivateCard balancer={balancer} ask={ask} />
        <PublicCard balancer={balancer} ask={ask} />
      </Halves>
      {asked && <Dialogs balancer={balancer} asked={asked} onClose={() => ask(undefined)} />}
    </>
  )
}

function useNetworks() {
  const { data: networks } = useSuspenseQuery(useApi().list('networks_list', {}))
  const nameOf = (network: number) => networks.find((one) => one.id === network)?.name ?? String(network)
  return { networks, nameOf }
}

function PrivateCard({ balancer: { private_net: places }, ask }: PartProps) {
  const { networks, nameOf } = useNetworks()
  const mayAttach = useReason('load_balancers_attachToNetwork')
  const mayDetach = useReason('load_balancers_detachFromNetwork')
  const reason = mayAttach ?? (networks.length === 0 ? w.noNetworks : undefined)
  const attach = (
    <Button small icon="plus" reason={reason} onClick={() => ask('attach')}>
      {w.attach}
    </Button>
  )
  if (places.length === 0) {
    return (
      <Card title={w.privateNetwork} end={attach} padded>
        <p className="dim">{w.inNoNetwork}</p>
      </Card>
    )
  }
  return (
    <Card title={w.privateNetwork}>
      <List>
        {places.map(({ network, ip }) => (
          <li key={network}>
            <span>
              {nameOf(network)}
              <small className="mono">{ip}</small>
            </span>
            <span className="end">
              <Button small reason={mayDetach} onClick={() => ask('detach')}>
                {w.detach}
              </Button>
            </span>
          </li>
        ))}
      </List>
    </Card>
  )
}

function PublicCard({ balancer: { public_net: net }, ask }: PartProps) {
  const reason = useReason('load_balancers_enablePublicInterface')
  return (
    <Card title={w.publicInterface} padded>
      <State mood={net.enabled ? 'ok' : 'off'}>{net.enabled ? w.listensPublicly : w.notPublic}</State>
      <p className="dim">{w.publicText}</p>
      <span>
        <Button reason={reason} onClick={() => ask('public')}>
          {net.enabled ? w.disablePublic : w.enablePublic}
        </Button>
      </span>
    </Card>
  )
}

interface DialogsProps {
  readonly balancer: Balancer
  readonly asked: Asked
  readonly onClose: () => void
}

function Dialogs({ balancer, asked, onClose }: DialogsProps) {
  const { networks, nameOf } = useNetworks()
  const { id, name, private_net: places, public_net: net } = balancer
  const [place] = places
  if (asked === 'attach') {
    const words = {
      title: w.attachTitle(name),
      act: w.attach,
      network: w.network,
      address: w.privateAddress,
      addressHint: w.privateAddressHint,
    }
    const request = { operation: 'load_balancers_attachToNetwork', params: { id } } as const
    return <AttachDialog {...{ words, networks, request, onClose }} families={['load_balancers', 'networks']} />
  }
  if (asked === 'public') {
    const operation = net.enabled ? 'load_balancers_disablePublicInterface' : 'load_balancers_enablePublicInterface'
    return (
      <FormDialog
        title={net.enabled ? w.disablePublicTitle(name) : w.enablePublicTitle(name)}
        text={net.enabled ? w.disablePublicText : w.publicText}
        act={net.enabled ? w.disablePublic : w.enablePublic}
        isBad={net.enabled}
        request={{ operation, params: { id } } as ApiRequest<'load_balancers_enablePublicInterface'>}
        families={['load_balancers']}
        onClose={onClose}
      />
    )
  }
  if (!place) return null
  const request: ApiRequest<'load_balancers_detachFromNetwork'> = {
    operation: 'load_balancers_detachFromNetwork',
    params: { id },
    body: { network: place.network },
  }
  return (
    <FormDialog
      title={w.detachTitle(name, nameOf(place.network))}
      text={w.detachText}
      act={w.detach}
      isBad
      request={request}
      families={['load_balancers', 'networks']}
      onClose={onClose}
    />
  )
}
