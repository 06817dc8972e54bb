/** Takes servers into placement groups and out of them, from the page of the group or of the server. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { maxMembers } from '../../../src/families/placement-groups/domain.ts'
import { allows } from '../../../src/families/servers/domain.ts'
import { type ItemOf, useApi } from '../../api/api.ts'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { placementGroups as w } from './words.ts'

const families = ['servers', 'placement_groups']

export type Group = ItemOf<'placement_groups_list'>
type Server = ItemOf<'servers_list'>

export function hasRoom({ servers }: Pick<Group, 'servers'>): boolean {
  return servers.length < maxMembers
}

/** Tells whether a server can be added to a group as it is now; the rule is that of the API. */
export function canJoin({ status, locked }: Pick<Server, 'status' | 'locked'>): boolean {
  return allows(status, 'addToPlacementGroup') && !locked
}

interface MembersProps {
  readonly group: Group
  readonly onClose: () => void
}

/** Adds one of the servers that are off and in no group. */
export function JoinGroupDialog({ group, onClose }: MembersProps) {
  const { data: servers = [] } = useQuery(useApi().list('servers_list', {}))
  const [chosen, choose] = useState('')
  return (
    <FormDialog
      title={w.joinTitle(group.name)}
      text={w.joinText}
      act={w.joinAct}
      request={chosen === '' ? undefined : joinRequest(Number(chosen), group.id)}
      families={families}
      onClose={onClose}
    >
      <SelectField
        label={w.server}
        value={chosen}
        options={[
          { value: '', label: w.choose },
          ...servers
            .filter(({ placement_group: its }) => its === null)
            .map((server) => ({
              value: String(server.id),
              label: canJoin(server) ? server.name : w.mustBeOffOf(server.name),
              isOff: !canJoin(server),
            })),
        ]}
        onChange={choose}
      />
    </FormDialog>
  )
}

/** Takes one of the servers of a group out of it. */
export function LeaveGroupDialog({ group, onClose }: MembersProps) {
  const { data: servers = [] } = useQuery(useApi().list('servers_list', {}))
  const [chosen, choose] = useState(String(group.servers[0] ?? ''))
  const names = new Map(servers.map(({ id, name }) => [id, name]))
  return (
    <FormDialog
      title={w.leaveTitle(group.name)}
      text={w.leaveText}
      act={w.leaveAct}
      request={chosen === '' ? undefined : leaveRequest(Number(chosen))}
      families={families}
      onClose={onClose}
    >
      <SelectField
        label={w.server}
        value={chosen}
        options={group.servers.map((id) => ({ value: String(id), label: names.get(id) ?? `#${id}` }))}
        onChange={choose}
      />
    </FormDialog>
  )
}

interface MemberProps {
  readonly server: Server
  readonly onClose: () => void
}

/** The same from the page of a server: asks for the group, or whether to leave the one that it is in. */
export function MembershipDialog({ server, onClose }: MemberProps) {
  const { data: groups = [] } = useQuery(useApi().list('placement_groups_list', {}))
  const [chosen, choose] = useState('')
  const { id, name, placement_group: group } = server
  if (group)
    return (
      <FormDialog
        title={w.leaveOwnTitle(name, group.name)}
        text={w.leaveText}
        act={w.leaveAct}
        request={leaveRequest(id)}
        families={families}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title={w.joinOwnTitle(name)}
      text={w.joinText}
      act={w.joinAct}
      request={chosen === '' ? undefined : joinRequest(id, Number(chosen))}
      families={families}
      onClose={onClose}
    >
      <SelectField
        label={w.group}
        value={chosen}
        options={[
          { value: '', label: w.choose },
          ...groups.filter(hasRoom).map((one) => ({ value: String(one.id), label: one.name })),
        ]}
        onChange={choose}
      />
    </FormDialog>
  )
}

function joinRequest(id: number, group: number) {
  return { operation: 'servers_addToPlacementGroup', params: { id }, body: { placement_group: group } } as const
}

function leaveRequest(id: number) {
  return { operation: 'servers_removeFromPlacementGroup', params: { id } } as const
}
