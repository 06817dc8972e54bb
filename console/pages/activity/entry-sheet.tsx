/** One action or request in detail. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReplyKey, useApi } from '../../api/api.ts'
import type { AnyRequest, ApiRequest } from '../../api/operations.ts'
import { familyOfType } from '../../families.ts'
import { failureText } from '../../lib/action-failures.ts'
import { capital, familyName } from '../../lib/api-names.ts'
import { Commands } from '../../shell/commands.tsx'
import { useReason } from '../../shell/may.ts'
import { linksOf, type ResourceLink } from '../../shell/resource-links.ts'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/card.tsx'
import { Copyable, useCopy } from '../../ui/copy.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { useGo } from '../../ui/link.tsx'
import { Note } from '../../ui/note.tsx'
import { SheetLater } from '../../ui/sheet-later.tsx'
import { State } from '../../ui/state.tsx'
import { activity as w } from '../../words/activity.ts'
import { common as c } from '../../words/common.ts'
import { exactTime } from '../../words/format.ts'
import { useRequest } from '../shared/submit.ts'
import { type Entry, moods } from './entries.ts'
import { retryOf } from './retry.ts'
import { tookOf } from './took.ts'

const d = w.details

export function EntrySheet({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) {
  const api = useApi()
  const go = useGo()
  const json = useCopy()
  const link = useCopy()
  const resources = useLinks(entry)
  const request: AnyRequest =
    entry.kind === 'action'
      ? { operation: 'actions_get', params: { id: entry.id } }
      : {
          ...(api.project === undefined
            ? ({ operation: 'audit_listAll' } as const)
            : ({ operation: 'audit_list', params: { project_id: api.project } } as const)),
          query: { before: entry.id + 1, per_page: 1 },
        }
  const retry = 'command' in entry.source ? retryOf(entry.source) : undefined
  return (
    <SheetLater
      title={entry.title}
      onClose={onClose}
      footer={
        <>
          {resources.slice(0, 2).map((one) => (
            <Button key={`${one.family} ${one.id}`} icon={one.icon} onClick={() => void go(one)}>
              {d.open} {one.name}
            </Button>
          ))}
          {retry && <RetryButton request={retry} onDone={onClose} />}
          <Button look="quiet" icon="copy" onClick={() => json.copy(JSON.stringify(entry.source, null, 2))}>
            {json.isCopied ? c.copied : d.copyJson}
          </Button>
          <Button look="quiet" icon="link" onClick={() => link.copy(window.location.href)}>
            {link.isCopied ? c.copied : d.copyLink}
          </Button>
        </>
      }
    >
      <div className="stack">
        <State mood={moods[entry.state]} progress={entry.state === 'running' ? entry.progress : undefined} badge>
          {stateOf(entry)}
        </State>
        {entry.code && (
          <Note mood={entry.state === 'error' ? 'bad' : 'warn'}>
            {failureText({ code: entry.code, message: entry.message ?? '' })}{' '}
            <span className="faint mono">{entry.code}</span>
            {entry.message && (
              <span className="dim" lang="en">
                {' '}
                {entry.message}
              </span>
            )}
          </Note>
        )}
      </div>
      <Facts rows={factsOf(entry)} />
      {retry ? <Commands request={retry} /> : <Commands request={request} footer={c.readsSame} />}
    </SheetLater>
  )
}

function RetryButton({ request, onDone }: { readonly request: AnyRequest; readonly onDone: () => void }) {
  const form = useRequest({
    request: request as ApiRequest,
    families: ['audit', request.operation.split('_')[0] ?? ''],
    done: onDone,
  })
  return (
    <>
      {form.cause !== undefined && <FailureNote cause={form.cause} />}
      <Button
        look="primary"
        icon="refresh"
        isBusy={form.isBusy}
        reason={useReason(request.operation)}
        onClick={form.send}
      >
        {d.retry}
      </Button>
    </>
  )
}

function stateOf(entry: Entry): string {
  const took = tookOf(entry)
  if (entry.state === 'running') return d.running
  if (took === undefined) return w.states[entry.state]
  return entry.state === 'success' ? d.done(took) : d.failed(took)
}

function factsOf(entry: Entry) {
  const { source } = entry
  return [
    ...('command' in source
      ? ([
          [
            d.command,
            <span key="command" className="mono">
              {source.command}
            </span>,
          ],
        ] as const)
      : []),
    [d.family, capital(familyName(entry.family))] as const,
    ...(entry.resources.length > 0 ? ([[d.resources, entry.resources.join(', ')]] as const) : []),
    ...(entry.by ? ([[d.by, entry.by]] as const) : []),
    ...(entry.from
      ? ([
          [
            d.from,
            <span key="from" className="mono">
              {entry.from}
            </span>,
          ],
        ] as const)
      : []),
    [d.started, exactTime(entry.started)] as const,
    ...(entry.finished && entry.kind === 'action' ? ([[d.finished, exactTime(entry.finished)]] as const) : []),
    ...('outcome' in source ? ([[d.status, String(source.status)]] as const) : []),
    [d.id, <Copyable key="id" text={String(entry.id)} />] as const,
    ...(entry.correlation ? ([[d.correlation, <Copyable key="correlation" text={entry.correlation} />]] as const) : []),
  ]
}

/** The pages of the resources that it is about, as far as lists have told of them. */
function useLinks(entry: Entry): readonly ResourceLink[] {
  const cache = useQueryClient()
  const { project } = useApi()
  const { source } = entry
  const wanted = new Set<string>(
    'command' in source ? source.resources.map(({ type, id }) => `${familyOfType(type)} ${id}`) : [],
  )
  return cache
    .getQueryCache()
    .getAll()
    .filter(({ queryKey }) => (queryKey as unknown as ReplyKey)[0] === project)
    .flatMap(({ queryKey, state }) => linksOf((queryKey as unknown as ReplyKey)[1], state.data))
    .filter(({ family, id }) => wanted.delete(`${family} ${id}`))
}
