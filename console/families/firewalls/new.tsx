/** A new firewall: its name, its rules, and what it is applied to. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { matches, parseSelector } from '../../../src/kernel/contract/selectors.ts'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { usePlaces, useServers } from '../../pages/reach/places.ts'
import { Equivalents } from '../../pages/shared/equivalents.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { useGo } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useChanged, useUnsaved } from '../../ui/unsaved.ts'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import type { Server } from '../servers/server.ts'
import { bodyOf, contentOf, kept } from './draft.ts'
import { DraftReach } from './draft-reach.tsx'
import { EditorFrame } from './editor-frame.tsx'
import { entry } from './entry.ts'
import type { Firewall, Target } from './firewall.ts'
import { RuleTable } from './rule-table.tsx'
import { type RulesEditor, useRules } from './use-rules.ts'
import { firewalls as w } from './words.ts'

const WarningNotes = lazy(async () => ({ default: (await import('./warning-notes.tsx')).WarningNotes }))
const Targets = lazy(async () => ({ default: (await import('./targets.tsx')).Targets }))
const noRules: Firewall['rules'] = []

export function NewFirewallPage() {
  const { from } = entry.routes.create.useSearch()
  const go = useGo()
  const api = useApi()
  const { data: firewalls } = useSuspenseQuery(api.list('firewalls_list', {}))
  const source = firewalls.find(({ id }) => id === from)
  const servers = useServers()
  const places = usePlaces(servers)
  const editor = useRules(noRules, source?.rules.map(contentOf))
  const [name, setName] = useState(source ? freeName(source.name, firewalls) : '')
  const [labels, setLabels] = useState<LabelMap>(source?.labels ?? {})
  const [targets, setTargets] = useState<readonly Target[]>([])
  const request: ApiRequest<'firewalls_create'> = {
    operation: 'firewalls_create',
    body: {
      name: name.trim(),
      ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}),
      ...(editor.drafts.length > 0 ? { rules: bodyOf(editor.drafts) } : {}),
      ...(targets.length > 0 ? { apply_to: [...targets] } : {}),
    },
  }
  const { isBusy, cause, problems, send } = useRequest<'firewalls_create'>({
    request,
    families: ['firewalls', 'servers'],
    done: ({ firewall: { id } }) => go(linkTo('firewalls', 'one', { id, tab: 'rules' })),
  })
  useUnsaved(useChanged(request) && !isBusy)
  const matched = { applied_to: [...targets] }
  return (
    <>
      <PageHead
        title={source ? w.cloneOf(source.name) : w.create}
        crumbs={[{ label: w.title, link: linkTo('firewalls', 'list') }]}
        actions={<CommandsButton request={request} />}
      />
      <EditorFrame
        side={<Summary {...{ editor, targets, isBusy, cause, request }} hasName={name.trim() !== ''} onCreate={send} />}
        reach={
          <DraftReach
            firewall={{ id: 0, ...matched }}
            name={name || w.one}
            editor={editor}
            servers={serversMatching(targets, servers)}
            places={places}
          />
        }
      >
        <Card title={w.about} padded>
          <TextField
            label={c.name}
            value={name}
            maxLength={128}
            problems={problems('name')}
            onChange={setName}
            required
          />
          <LabelsField value={labels} onChange={setLabels} problems={problems('labels')} />
        </Card>
        <Section title={w.tabs.rules}>
          <RuleTable editor={editor} servers={servers} reason={undefined} />
        </Section>
        <Card title={w.tabs.resources} padded>
          <Suspense fallback={<Skeleton />}>
            <Targets targets={targets} servers={servers} onChange={setTargets} />
          </Suspense>
        </Card>
      </EditorFrame>
    </>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="stack" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** The servers that targets stand for now. */
function serversMatching(targets: readonly Target[], servers: readonly Server[]): readonly Server[] {
  const selectors = targets.flatMap(({ label_selector }) => {
    const result = label_selector && parseSelector(label_selector.selector)
    return result?.ok ? [result.selector] : []
  })
  const ids = new Set(targets.map(({ server }) => server?.id))
  return servers.filter(({ id, labels }) => ids.has(id) || selectors.some((selector) => matches(selector, labels)))
}

/** `web-2` for a clone of `web`, or the next that is free. */
function freeName(name: string, firewalls: readonly Firewall[]): string {
  const taken = new Set(firewalls.map((one) => one.name))
  const stem = name.replace(/-\d+$/, '')
  let next = 2
  while (taken.has(`${stem}-${next}`)) next += 1
  return `${stem}-${next}`
}

interface SummaryProps {
  readonly editor: RulesEditor
  readonly targets: readonly Target[]
  readonly hasName: boolean
  readonly isBusy: boolean
  readonly cause: unknown
  readonly request: ApiRequest<'firewalls_create'>
  readonly onCreate: () => void
}

function Summary(props: SummaryProps) {
  const { editor, targets, hasName, isBusy, cause, request, onCreate } = props
  const may = useReason('firewalls_create')
  const reason = may ?? (hasName ? (editor.judgement.isFine ? undefined : w.notFine) : w.nameMissing)
  const left = kept(editor.drafts)
  return (
    <>
      <Card title={w.summary} padded>
        <Facts
          rows={[
            [w.columns.rules, number(left.length)],
            [w.tabs.resources, number(targets.length)],
          ]}
        />
        <Suspense>{editor.isDirty && <WarningNotes editor={editor} count={0} />}</Suspense>
        {cause !== undefined && <FailureNote cause={cause} what={w.notCreated} />}
        <Button look="primary" wide isBusy={isBusy} reason={reason} onClick={onCreate}>
          {w.create}
        </Button>
      </Card>
      {hasName && editor.judgement.isFine && <Equivalents request={request} />}
    </>
  )
}
