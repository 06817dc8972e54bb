/** Mail to the owners of Projects, newest first, and what has become of it. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { apiOf, type ItemOf } from '../../api/api.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { copyAway } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { tellFailure } from '../../ui/failure.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { PageHead } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type Mood, State } from '../../ui/state.tsx'
import { type Column, ListFrame, nameClass, Table, Tools } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.ts'
import { admin } from '../../words/admin.ts'
import { common as c } from '../../words/common.ts'
import { ago, number } from '../../words/format.ts'
import { PickSelect } from '../activity/pick-select.tsx'
import { usePages } from '../activity/use-pages.ts'
import { AdminTabs } from './frame.tsx'

const w = admin.mail
const api = apiOf(undefined)

type Mail = ItemOf<'management_listMail'>

const states = ['waiting', 'sent', 'logged', 'given_up'] as const
const moods: Readonly<Record<Mail['state'], Mood>> = { waiting: 'busy', sent: 'ok', logged: 'off', given_up: 'bad' }

export function MailPage() {
  const outdate = useOutdate()
  const navigate = useNavigate()
  const { state: asked } = useSearch({ strict: false }) as { readonly state?: unknown }
  const state = states.find((one) => one === asked)
  const query = state ? { state } : {}
  const log = usePages(api, 'management_listMail', { query })
  const mail = log.reply?.mail ?? []
  const reason = useReason('management_retryMail')
  const retry = ({ id }: Mail) =>
    void api
      .call('management_retryMail', { params: { mail_id: id } })
      .then(() => toast({ mood: 'ok', title: w.retried }))
      .catch((cause: unknown) => tellFailure(cause))
      .then(() => outdate('management'))
  const menu = (one: Mail): readonly MenuEntry[] => [
    {
      key: 'retry',
      label: w.retry,
      icon: 'refresh',
      reason: reason ?? (one.state === 'given_up' || one.state === 'logged' ? undefined : w.notAgain),
      onSelect: () => retry(one),
    },
    { key: 'copy', label: c.copyId, icon: 'copy', onSelect: () => copyAway(String(one.id)) },
  ]
  const choose = (next: string) =>
    void navigate({ to: '.', search: { state: next === 'all' ? undefined : next }, replace: true } as never)
  return (
    <>
      <PageHead title={w.title} actions={<CommandsButton request={{ operation: 'management_listMail', query }} />} />
      <AdminTabs current="mail" />
      {log.isLoading ? (
        <Skeleton />
      ) : mail.length === 0 && !state ? (
        <Empty title={w.none} text={w.noneText} command="wolke mail list" />
      ) : (
        <ListFrame>
          <Tools>
            <PickSelect
              label={w.state}
              value={state ?? 'all'}
              options={[
                { value: 'all', label: w.allStates },
                ...states.map((value) => ({ value, label: w.states[value] })),
              ]}
              onChange={choose}
            />
          </Tools>
          {mail.length === 0 ? (
            <p className="dim">{w.nothing}</p>
          ) : (
            <Table
              caption={w.caption}
              columns={columns}
              rows={mail}
              idOf={({ id }) => id}
              nameOf={({ subject }) => subject}
              menu={menu}
              why={({ state: is, last_error: error }) => is !== 'sent' && error}
            />
          )}
          {log.hasMore && (
            <div>
              <Button isBusy={log.isBusy} onClick={log.more}>
                {w.more}
              </Button>
            </div>
          )}
        </ListFrame>
      )}
    </>
  )
}

const columns: readonly Column<Mail>[] = [
  {
    key: 'subject',
    label: w.subject,
    card: 'key',
    cell: ({ subject }) => <span className={nameClass}>{subject}</span>,
  },
  { key: 'recipient', label: w.recipient, card: 'sub', cell: ({ recipient }) => recipient },
  { key: 'project', label: w.project, rank: 2, cell: ({ project }) => project.name },
  {
    key: 'state',
    label: w.state,
    card: 'stat',
    cell: ({ state, next_attempt: next }) => (
      <>
        <State mood={moods[state]}>{w.states[state]}</State>
        {next && <small>{w.next(ago(next))}</small>}
      </>
    ),
  },
  { key: 'attempts', label: w.attempts, rank: 3, isEnd: true, cell: ({ attempts }) => number(attempts) },
  { key: 'created', label: w.created, isEnd: true, isNarrow: true, cell: ({ created }) => <Ago time={created} /> },
]
