/** The placement groups of a Project: servers that run on different hosts. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { maxMembers } from '../../../src/families/placement-groups/domain.ts'
import { type ItemOf, useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import type { ActsOptions } from '../../pages/shared/act.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { ageColumn, labelsColumn, ServerLink } from '../../pages/shared/cells.tsx'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { ListPage } from '../../pages/shared/list-page.tsx'
import { useReason } from '../../shell/may.ts'
import { TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { Progress } from '../../ui/progress.tsx'
import { type Column, workClass } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { resources as r } from '../../words/resources.ts'
import { type Group, hasRoom, JoinGroupDialog, LeaveGroupDialog } from './members.tsx'
import { placementGroups as w } from './words.ts'

const groupActs: ActsOptions<Group> = {
  family: 'placement_groups',
  touches: ['servers'],
  lost: ({ servers }) => w.deleteText(servers.length),
  deleteAct: w.deleteAct,
}

const textsOf = ({ name }: Group) => [name]

export function PlacementGroupsPage() {
  const api = useApi()
  const { data: groups, dataUpdatedAt } = useSuspenseQuery(api.list('placement_groups_list', {}))
  const { data: servers = [] } = useQuery(api.list('servers_list', {}))
  const [isCreating, create] = useState(false)
  const [asked, ask] = useState<{ readonly kind: 'join' | 'leave'; readonly group: Group }>()
  const acts = useResourceActs(groupActs)
  const mayJoin = useReason('servers_addToPlacementGroup')
  const mayLeave = useReason('servers_removeFromPlacementGroup')
  const own = (group: Group): readonly MenuEntry[] => [
    {
      key: 'join',
      label: w.join,
      icon: 'plus',
      reason: mayJoin ?? joinReason(group, servers),
      onSelect: () => ask({ kind: 'join', group }),
    },
    {
      key: 'leave',
      label: w.leave,
      icon: 'x',
      reason: mayLeave ?? (group.servers.length === 0 ? w.isEmpty : undefined),
      onSelect: () => ask({ kind: 'leave', group }),
    },
  ]
  const columns = useMemo(() => {
    const names = new Map(servers.map(({ id, name }) => [id, name]))
    return columnsFor((id) => names.get(id))
  }, [servers])
  return (
    <ListPage
      family="placement_groups"
      words={w}
      rows={groups}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      primary={{ label: w.create, reason: useReason('placement_groups_create'), act: () => create(true) }}
      commands={[
        { label: w.list, request: { operation: 'placement_groups_list' } },
        { label: w.create, request: { operation: 'placement_groups_create', body: { name: 'web', type: 'spread' } } },
      ]}
      menu={(group) => acts.menu(group, own(group))}
    >
      {isCreating && <CreateDialog onClose={() => create(false)} />}
      {asked?.kind === 'join' && <JoinGroupDialog group={asked.group} onClose={() => ask(undefined)} />}
      {asked?.kind === 'leave' && <LeaveGroupDialog group={asked.group} onClose={() => ask(undefined)} />}
      {acts.dialogs}
    </ListPage>
  )
}

/** Returns why no server can be added to a group. */
function joinReason(group: Group, servers: readonly ItemOf<'servers_list'>[]): string | undefined {
  if (!hasRoom(group)) return w.isFull
  return servers.some(({ placement_group: its }) => its === null) ? undefined : w.noneFree
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
  const [name, setName] = useState('')
  const [labels, setLabels] = useState<LabelMap>({})
  const request: ApiRequest<'placement_groups_create'> = {
    operation: 'placement_groups_create',
    body: { name, type: 'spread', ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}) },
  }
  return (
    <FormDialog
      title={w.create}
      text={w.typeText}
      act={w.create}
      isWide
      request={request}
      isReady={name !== ''}
      families={['placement_groups']}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <TextField label={c.name} value={name} onChange={setName} problems={problems('name')} />
          <LabelsField value={labels} onChange={setLabels} problems={problems('labels')} />
        </>
      )}
    </FormDialog>
  )
}
