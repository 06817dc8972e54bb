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

export function NetworkTab({ balancer }: { readonly balancer: Balancer }) {
  const api = useApi()
  const { data: networks } = useSuspenseQuery(api.list('networks_list', {}))
  const [asked, ask] = useState<Asked>()
  const mayAttach = useReason('load_balancers_attachToNetwork')
  const mayDetach = useReason('load_balancers_detachFromNetwork')
  const mayPublic = useReason('load_balancers_enablePublicInterface')
  const { id, name, private_net: places, public_net: net } = balancer
  const nameOf = (network: number) => networks.find((one) => one.id === network)?.name ?? String(network)
  const [place] = places
  const close = () => ask(undefined)
  return (
    <>
      <Halves>
        <Card
          title={w.privateNetwork}
          end={
            !place && (
              <Button
                small
                icon="plus"
                reason={mayAttach ?? (networks.length === 0 ? w.noNetworks : undefined)}
                onClick={() => ask('attach')}
              >
                {w.attach}
              </Button>
            )
          }
          padded={!place}
        >
          {place ? (
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
          ) : (
            <p className="dim">{w.inNoNetwork}</p>
          )}
        </Card>
        <Card title={w.publicInterface} padded>
          <State mood={net.enabled ? 'ok' : 'off'}>{net.enabled ? w.listensPublicly : w.notPublic}</State>
          <p className="dim">{w.publicText}</p>
          <span>
            <Button reason={mayPublic} onClick={() => ask('public')}>
              {net.enabled ? w.disablePublic : w.enablePublic}
            </Button>
          </span>
        </Card>
      </Halves>
      {asked === 'attach' && (
        <AttachDialog
          words={{
            title: w.attachTitle(name),
            act: w.attach,
            network: w.network,
            address: w.privateAddress,
            addressHint: w.privateAddressHint,
          }}
          networks={networks}
          request={{ operation: 'load_balancers_attachToNetwork', params: { id } }}
          families={['load_balancers', 'networks']}
          onClose={close}
        />
      )}
      {asked === 'detach' && place && (
        <FormDialog
          title={w.detachTitle(name, nameOf(place.network))}
          text={w.detachText}
          act={w.detach}
          isBad
          request={
            {
              operation: 'load_balancers_detachFromNetwork',
              params: { id },
              body: { network: place.network },
            } satisfies ApiRequest<'load_balancers_detachFromNetwork'>
          }
          families={['load_balancers', 'networks']}
          onClose={close}
        />
      )}
      {asked === 'public' && (
        <FormDialog
          title={net.enabled ? w.disablePublicTitle(name) : w.enablePublicTitle(name)}
          text={net.enabled ? w.disablePublicText : w.publicText}
          act={net.enabled ? w.disablePublic : w.enablePublic}
          isBad={net.enabled}
          request={
            {
              operation: net.enabled ? 'load_balancers_disablePublicInterface' : 'load_balancers_enablePublicInterface',
              params: { id },
            } as ApiRequest<'load_balancers_enablePublicInterface'>
          }
          families={['load_balancers']}
          onClose={close}
        />
      )}
    </>
  )
}
