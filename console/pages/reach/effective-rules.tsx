/**
 * The sum of the firewalls of one server, for its own page: who can reach it, and a question about it. It loads the
 * firewalls of the Project itself.
 */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { Server } from '../../families/servers/server.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { reach as w } from '../../words/reach.ts'
import { firewallsOf } from './decide.ts'
import { usePlaces, useServers } from './places.ts'
import { QuestionForm } from './question.tsx'
import { ReachCard } from './reach-card.tsx'

export function EffectiveRules({ server }: { readonly server: Server }) {
  const api = useApi()
  const { data: firewalls } = useSuspenseQuery(api.list('firewalls_list', {}))
  const servers = useServers()
  const places = usePlaces(servers)
  const own = useMemo(() => firewallsOf(server, firewalls), [server, firewalls])
  const [asked, ask] = useState({ from: 'internet', port: 'tcp/22' })
  const target = { title: server.name, icon: 'server' as const, servers: [server] }
  return (
    <ReachCard
      title={w.effective}
      aside={<span className="faint">{w.firewalls(own.length)}</span>}
      target={target}
      firewalls={own}
      places={places}
      footer={
        <div className="stack">
          <QuestionForm
            asked={{ ...asked, to: `server:${server.id}` }}
            onChange={({ from, port }) => ask({ from, port })}
            world={{ servers, firewalls }}
            places={places}
            isTargetFixed
          />
          <span>
            <ButtonLink small icon="link" to="/projects/$project/reach" search={{ ...asked, to: server.name }}>
              {w.openPage}
            </ButtonLink>
          </span>
        </div>
      }
    />
  )
}
