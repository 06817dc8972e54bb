/** The browsers in which one is signed in. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { State } from '../../ui/state.tsx'
import { type Column, ListFrame, nameClass, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { account } from '../../words/account.ts'
import { ago } from '../../words/format.ts'
import { browserOf } from './agents.ts'
import { AccountFrame } from './frame.tsx'

const w = account.sessions
const api = apiOf(undefined)

type Session = ReplyFor<'people_sessions'>['sessions'][number]

function nameOf({ agent }: Session): string {
  const known = browserOf(agent)
  return known ? w.on(known.browser, known.system) : agent || w.unknown
}

const columns: readonly Column<Session>[] = [
  {
    key: 'browser',
    label: w.browser,
    card: 'key',
    cell: (session) => (
      <span className="row wrap">
        <span className={nameClass} title={session.agent}>
          {nameOf(session)}
        </span>
        {session.is_current && (
          <State mood="ok" badge>
            {w.current}
          </State>
        )}
      </span>
    ),
  },
  { key: 'network', label: w.network, card: 'sub', isMono: true, cell: ({ network }) => network },
  { key: 'seen', label: w.lastSeen, card: 'stat', cell: ({ last_seen }) => <Ago time={last_seen} /> },
  { key: 'started', label: w.started, rank: 2, cell: ({ created }) => <Ago time={created} /> },
  { key: 'ends', label: w.ends, rank: 3, isEnd: true, cell: ({ ends }) => <Ago time={ends} /> },
]

export function SessionsPage() {
  const outdate = useOutdate()
  const { data } = useSuspenseQuery(api.query('people_sessions', {}))
  const [asked, ask] = useState<Session | 'others'>()
  const others = data.sessions.filter(({ is_current }) => !is_current)
  const refresh = () => outdate('people')
  const menu = (session: Session): readonly MenuEntry[] => [
    {
      key: 'end',
      label: w.end,
      icon: 'logout',
      isBad: true,
      reason: session.is_current ? w.current : undefined,
      onSelect: () => ask(session),
    },
  ]
  return (
    <AccountFrame
      tab="sessions"
      actions={
        others.length > 0 && (
          <Button icon="logout" onClick={() => ask('others')}>
            {w.endOthers}
          </Button>
        )
      }
    >
      <p className="dim">{w.text}</p>
      <ListFrame>
        <Table
          caption={w.caption}
          columns={columns}
          rows={data.sessions}
          idOf={({ id }) => id}
          nameOf={nameOf}
          menu={menu}
        />
      </ListFrame>
      {asked && <EndDialog asked={asked} others={others.length} refresh={refresh} onClose={() => ask(undefined)} />}
    </AccountFrame>
  )
}

interface EndProps {
  readonly asked: Session | 'others'
  /** The number of other sessions. */
  readonly others: number
  readonly refresh: () => Promise<void>
  readonly onClose: () => void
}

function EndDialog({ asked, others, refresh, onClose }: EndProps) {
  const isAll = asked === 'others'
  const end = async () => {
    await (isAll
      ? api.call('people_endOtherSessions', {})
      : api.call('people_endSession', { params: { id: asked.id } }))
    await refresh()
  }
  return (
    <Confirm
      title={isAll ? w.endOthersTitle : w.endTitle(nameOf(asked))}
      text={isAll ? w.endOthersText : w.endText(ago(asked.last_seen))}
      act={isAll ? w.endOthersAct(others) : w.end}
      onConfirm={end}
      onClose={onClose}
    />
  )
}
