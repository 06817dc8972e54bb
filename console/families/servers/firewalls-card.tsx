/** The firewalls of a server. */
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import card from '../../ui/card.module.css'
import { Card, List } from '../../ui/card.tsx'
import { Link } from '../../ui/link.tsx'
import { State } from '../../ui/state.tsx'
import { server as w } from './detail.words.ts'
import type { Server } from './server.ts'

export function FirewallsCard({ server: { public_net: net } }: { readonly server: Server }) {
  const api = useApi()
  const { data: all = [] } = useQuery(api.list('firewalls_list', {}))
  const nameOf = (id: number) => all.find((one) => one.id === id)?.name ?? String(id)
  return (
    <Card title={w.firewalls}>
      {net.firewalls.length === 0 ? (
        <p className={card.pad}>
          <State mood="warn">{w.noFirewalls}</State>
        </p>
      ) : (
        <List>
          {net.firewalls.map(({ id, status }) => (
            <li key={id}>
              <Link {...linkTo('firewalls', 'one', { id, tab: 'rules' })}>{nameOf(id)}</Link>
              <span className="end">
                <State mood={status === 'applied' ? 'ok' : 'busy'}>{w.firewallStatus[status]}</State>
              </span>
            </li>
          ))}
        </List>
      )}
    </Card>
  )
}
