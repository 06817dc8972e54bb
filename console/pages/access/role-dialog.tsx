/** Gives a member another role. */
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { access } from '../../words/access.ts'
import { FormDialog } from '../shared/form-dialog.tsx'
import type { Member } from './member.ts'
import { type GivenRole, RolesField } from './roles-field.tsx'

const w = access.members

export function RoleDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const api = useApi()
  const [role, choose] = useState<GivenRole | undefined>(member.role === 'owner' ? undefined : member.role)
  const params = { project_id: api.project ?? 0, person_id: member.person_id }
  return (
    <FormDialog
      title={w.changeRoleTitle(member.name || member.email)}
      act={w.changeRoleAct}
      request={role && { operation: 'management_changeMember', params, body: { role } }}
      families={['management']}
      onClose={onClose}
    >
      <RolesField value={role} onChange={choose} />
    </FormDialog>
  )
}
