/** The page "Who can reach what": a question in the address, its answer, and the picture of the target. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { servers as s } from '../../families/servers/words.ts'
import { linkTo } from '../../families.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { ButtonAnchor, ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../../ui/page.tsx'
import { common as c } from '../../words/common.ts'
import { reach as w } from '../../words/reach.ts'
import { Equivalents } from '../shared/equivalents.tsx'
import { firewallsOf, readEnds, readPort, type ServerPlace, type Source, type World } from './decide.ts'
import { usePlaces, useServers } from './places.ts'
import { type Asked, QuestionForm } from './question.tsx'
import { ReachCard } from './reach-card.tsx'

const here = '/projects/$project/reach'

export function ReachPage() {
  const api = useApi()
  const search = useSearch({ from: here })
  const navigate = useNavigate({ from: here })
  const servers = useServers()
  const { data: firewalls } = useSuspenseQuery(api.list('firewalls_list', {}))
  const world = useMemo(() => ({ servers, firewalls }), [servers, firewalls])
  const places = usePlaces(servers)
  const { from = 'internet', to = servers[0]?.name ?? '', port = 'tcp/22' } = search
  const asked: Asked = { from, to, port }
  const targetId = readEnds(asked, servers).to?.server.id
  const target = servers.find(({ id }) => id === targetId)
  const own = useMemo(() => (target ? firewallsOf(target, firewalls) : []), [target, firewalls])
  const byApi = requestOf(asked, world)
  const head = (
    <PageHead
      title={w.title}
      facts={<span>{w.lead}</span>}
      actions={
        <>
          <CommandsButton request={byApi ?? { operation: 'firewalls_list' }} />
          <ButtonAnchor look="quiet" icon="doc" href="/docs#get-reachability">
            {c.documentation}
          </ButtonAnchor>
          <CopyButton text={window.location.href} label={w.share} />
        </>
      }
    />
  )
  if (servers.length === 0) {
    const create = (
      <ButtonLink {...linkTo('servers', 'create')} look="primary" icon="plus">
        {s.create}
      </ButtonLink>
    )
    return (
      <>
        {head}
        <Empty title={s.none} text={w.noServersText} action={create} />
      </>
    )
  }
  return (
    <>
      {head}
      <Card title={w.question} padded>
        <QuestionForm
          asked={asked}
          onChange={(next) => void navigate({ search: next, replace: true })}
          world={world}
          places={places}
        />
      </Card>
      {target && (
        <ReachCard
          title={w.whoReaches(target.name)}
          aside={<span className="faint">{w.firewalls(own.length)}</span>}
          target={{ title: target.name, icon: 'server', servers: [target] }}
          firewalls={own}
          places={places}
        />
      )}
      {byApi && <Equivalents request={byApi} footer={w.byApi} />}
    </>
  )
}

/** The server answers the same question, with power and routes of networks counted as well; not from the Internet. */
function requestOf(asked: Asked, world: World): ApiRequest | undefined {
  const { from, to } = readEnds(asked, world.servers)
  const port = readPort(asked.port)
  if (!from || from.kind === 'internet' || !to || !port) return undefined
  return {
    operation: 'reachability_reachability',
    query: {
      from: nameOf(from),
      to: nameOf(to),
      protocol: port.protocol,
      ...(port.port === null ? {} : { port: port.port }),
    },
  }
}

function nameOf(end: ServerPlace | Extract<Source, { readonly kind: 'address' }>): string {
  return end.kind === 'address' ? end.address : (end.address ?? `server:${end.server.id}`)
}
