/** The placement group of the server: which other servers never share its host. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/api.ts'
import { useReason } from '../../../shell/may.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, Facts } from '../../../ui/card.tsx'
import { canJoin, hasRoom, MembershipDialog } from '../../placement-groups/members.tsx'
import { placementGroups as w } from '../../placement-groups/words.ts'
import type { ChangeProps } from './change-dialogs.tsx'

export function GroupCard({ server, busy }: Omit<ChangeProps, 'ask'>) {
  const { data: groups } = useSuspenseQuery(useApi().list('placement_groups_list', {}))
  const [isAsking, setAsking] = useState(false)
  const mayJoin = useReason('servers_addToPlacementGroup')
  const mayLeave = useReason('servers_removeFromPlacementGroup')
  const { placement_group: group } = server
  const reason = group
    ? (mayLeave ?? busy)
    : (mayJoin ?? busy ?? (groups.some(hasRoom) ? undefined : w.noRoom) ?? (canJoin(server) ? undefined : w.mustBeOff))
  return (
    <Card title={w.group} padded>
      {group ? <Facts rows={[[w.group, group.name]]} /> : <p className="dim">{w.apart}</p>}
      <p>
        <Button reason={reason} onClick={() => setAsking(true)}>
          {group ? w.leaveOwn : w.joinOwn}
        </Button>
      </p>
      {isAsking && <MembershipDialog server={server} onClose={() => setAsking(false)} />}
    </Card>
  )
}
