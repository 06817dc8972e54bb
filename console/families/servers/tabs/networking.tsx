/** Shows where the server is reached: public addresses, private networks, firewalls, and what they add up to. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useApi } from '../../../api/api.ts'
import { linkTo } from '../../../families.ts'
import { useReason } from '../../../shell/may.ts'
import { Button } from '../../../ui/button.tsx'
import card from '../../../ui/card.module.css'
import { Card, List } from '../../../ui/card.tsx'
import { Copyable } from '../../../ui/copy.tsx'
import { Link } from '../../../ui/link.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { type Address, fromFloating, fromPrimary } from '../../addresses/address.ts'
import { addresses as a } from '../../addresses/words.ts'
import { server as s } from '../detail.words.ts'
import { FirewallsCard } from '../firewalls-card.tsx'
import type { Server } from '../server.ts'
import { NetworksCard } from './networks-card.tsx'
import type { TabProps } from './tab.ts'
import { serverTabs } from './words.ts'

const w = serverTabs.networking
const EffectiveRules = lazy(async () => ({
  default: (await import('../../../pages/reach/effective-rules.tsx')).EffectiveRules,
}))
const Dialogs = lazy(async () => ({ default: (await import('../../addresses/dialogs.tsx')).AddressDialogs }))

export function NetworkingTab({ server, action }: TabProps) {
  return (
    <div className="stack-l">
      <AddressesCard server={server} />
      <NetworksCard server={server} action={action} />
      <FirewallsCard server={server} />
      <Suspense fallback={<Skeleton />}>
        <EffectiveRules server={server} />
      </Suspense>
    </div>
  )
}

/** Its Primary IPs and the Floating IPs that lead to it, with what they are called when they are looked up. */
function AddressesCard({ server }: { readonly server: Server }) {
  const api = useApi()
  const { data: primaries } = useSuspenseQuery(api.list('primary_ips_list', {}))
  const { data: floating } = useSuspenseQuery(api.list('floating_ips_list', {}))
  const [asked, ask] = useState<Address>()
  const own: readonly Address[] = [
    ...primaries.map(fromPrimary).filter((one) => one.server === server.id),
    ...floating.map(fromFloating).filter((one) => one.server === server.id),
  ]
  return (
    <Card title={w.public}>
      {own.length === 0 && <p className={card.pad}>{s.noAddresses}</p>}
      <List>
        {own.map((address) => (
          <AddressRow key={`${address.family}${address.id}`} address={address} onEdit={() => ask(address)} />
        ))}
      </List>
      {asked && (
        <Suspense>
          <Dialogs
            family={asked.family}
            asked={{ kind: 'names', address: asked }}
            servers={[server]}
            onClose={() => ask(undefined)}
          />
        </Suspense>
      )}
    </Card>
  )
}

function AddressRow({ address, onEdit }: { readonly address: Address; readonly onEdit: () => void }) {
  const { family, name, ip, type, dnsPtr } = address
  const isFloating = family === 'floating_ips'
  const reason = useReason(`${family}_changeDnsPtr`)
  const names = dnsPtr.map((one) => (type === 'ipv6' ? `${one.ip} ${one.dns_ptr}` : one.dns_ptr))
  return (
    <li>
      <span>
        <Copyable text={ip} />
        {names.map((text) => (
          <small key={text}>{text}</small>
        ))}
        {names.length === 0 && <small>{w.noReverse}</small>}
        <small>
          {isFloating ? w.floating : w.primary} <ListLink family={family} name={name} />
        </small>
      </span>
      <span className="end">
        <Button small reason={reason} aria-label={w.editOf(ip)} onClick={onEdit}>
          {w.edit}
        </Button>
      </span>
    </li>
  )
}

/** The list of addresses, with only this one. */
function ListLink({ family, name }: Pick<Address, 'family' | 'name'>) {
  return (
    <Link {...linkTo(family, 'list')} search={{ q: name }} title={a[family].title}>
      {name}
    </Link>
  )
}
