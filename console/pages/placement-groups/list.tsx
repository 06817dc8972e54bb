/** The placement groups of a Project: servers that run on different hosts. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { maxMembers } from '../../../src/families/placement-groups/domain.ts'
import { type ItemOf, useApi, useOutdate } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { Commands } from '../../shell/commands.tsx'
import { useReason } from '../../shell/may.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { Progress } from '../../ui/progress.tsx'
import { type Column, workClass } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { common } from '../../words/en/common.ts'
import { placementGroups as english } from '../../words/en/placement-groups.ts'
import { resources } from '../../words/en/resources.ts'
import { number } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { FormFooter, type ResourceCalls, useResourceActs } from '../resources/acts.tsx'
import { ageColumn, labelsColumn, ServerLink } from '../resources/cells.tsx'
import { ListPage } from '../resources/list-page.tsx'
import { useSubmission } from '../resources/submit.ts'

const w = wordsOf('placementGroups', english)
const r = wordsOf('resources', resources)
const c = wordsOf('common', common)

type Group = ItemOf<'placement_groups_list'>

const textsOf = ({ name }: Group) => [name]

export function PlacementGroupsPage() {
  const api = useApi()
  const { data: groups, dataUpdatedAt } = useSuspenseQuery(api.list('placement_groups_list', {}))
  const { data: servers = [] } = useQuery(api.list('servers_list', {}))
  const [isCreating, create] = useState(false)
  const acts = useResourceActs(useCalls())
  const columns = useMemo(() => {
    const names = new Map(servers.map(({ id, name }) => [id, name]))
    return columnsFor((id) => names.get(id))
  }, [servers])
  return (
    <ListPage
      title={w.title}
      rows={groups}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      nameOf={({ name }) => name}
      primary={{ label: w.create, reason: useReason('placement_groups_create'), act: () => create(true) }}
      commands={[
        { label: w.list, request: { operation: 'placement_groups_list' } },
        { label: w.create, request: { operation: 'placement_groups_create', body: { name: 'web', type: 'spread' } } },
      ]}
      empty={{ title: w.none, text: w.noneText, command: w.noneCommand }}
      menu={(group) => acts.menu(group)}
    >
      {isCreating && <CreateDialog onClose={() => create(false)} />}
      {acts.dialogs}
    </ListPage>
  )
}

function columnsFor(nameOf: (id: number) => string | undefined): readonly Column<Group>[] {
  return [
    { key: 'name', label: c.name, card: 'key', sort: ({ name }) => name, cell: ({ name }) => <b>{name}</b> },
    { key: 'type', label: r.type, cell: ({ type }) => w.types[type] },
    {
      key: 'count',
      label: w.places,
      card: 'stat',
      sort: ({ servers }) => servers.length,
      cell: ({ servers, name }) => (
        <span className={workClass}>
          <span className="num">{w.taken(number(servers.length), number(maxMembers))}</span>
          <Progress value={(servers.length / maxMembers) * 100} tone="ink" label={w.placesOf(name)} />
        </span>
      ),
    },
    {
      key: 'servers',
      label: w.servers,
      card: 'sub',
      cell: ({ servers }) =>
        servers.length === 0 ? (
          <None />
        ) : (
          <span className="row wrap">
            {servers.map((id) => (
              <ServerLink key={id} id={id} name={nameOf(id)} />
            ))}
          </span>
        ),
    },
    labelsColumn(),
    ageColumn(),
  ]
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const api = useApi()
  const outdate = useOutdate()
  const [name, setName] = useState('')
  const [labels, setLabels] = useState<LabelMap>({})
  const request: ApiRequest<'placement_groups_create'> = {
    operation: 'placement_groups_create',
    body: { name, type: 'spread', ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}) },
  }
  const form = useSubmission(async () => {
    const { operation, ...input } = request
    await api.call(operation, input)
    await outdate('placement_groups')
    onClose()
  }, ['name', 'labels'])
  return (
    <Dialog
      title={w.create}
      text={w.typeText}
      isWide
      onClose={onClose}
      onSubmit={form.send}
      footer={<FormFooter onClose={onClose} act={w.create} isBusy={form.isBusy} isReady={name !== ''} />}
    >
      <TextField label={c.name} value={name} onChange={setName} problems={form.problems('name')} />
      <LabelsField value={labels} onChange={setLabels} problems={form.problems('labels')} />
      <Commands request={request} />
      {form.cause !== undefined && <FailureNote cause={form.cause} />}
    </Dialog>
  )
}

function useCalls(): ResourceCalls<Group> {
  const api = useApi()
  const outdate = useOutdate()
  return useMemo(() => {
    const update = (id: number, body: object) =>
      api.call('placement_groups_update', { params: { id }, body }).then(() => outdate('placement_groups'))
    return {
      operations: { update: 'placement_groups_update', remove: 'placement_groups_remove' },
      rename: ({ id }, name) => update(id, { name }),
      relabel: ({ id }, labels) => update(id, { labels: { ...labels } }),
      remove: ({ id }) =>
        api.call('placement_groups_remove', { params: { id } }).then(() => outdate('placement_groups', 'servers')),
      words: { deleteText: ({ servers }) => w.deleteText(servers.length), deleteAct: w.deleteAct },
    }
  }, [api, outdate])
}
