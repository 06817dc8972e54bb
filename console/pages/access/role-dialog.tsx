/** Gives a member another role. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi, useOutdate } from '../../api/api.ts'
import { projectsQuery } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { access } from '../../words/en/access.ts'
import { common } from '../../words/en/common.ts'
import { wordsOf } from '../../words/words.ts'
import type { Member } from './members.tsx'
import { type GivenRole, RolesField } from './roles-field.tsx'

const w = wordsOf('access', access).members
const c = wordsOf('common', common)

export function RoleDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const api = useApi()
  const outdate = useOutdate()
  const cache = useQueryClient()
  const submit = useSubmit()
  const [role, choose] = useState<GivenRole | undefined>(member.role === 'owner' ? undefined : member.role)
  const params = { project_id: api.project ?? 0, person_id: member.person_id }
  const save = async () => {
    if (!role) return
    const isSaved = await submit.run(async () => {
      await api.call('management_changeMember', { params, body: { role } })
      // It may have been one's own.
      await Promise.all([outdate('management'), cache.invalidateQueries(projectsQuery)])
    })
    if (isSaved) onClose()
  }
  return (
    <Dialog
      title={w.changeRoleTitle(member.name || member.email)}
      onClose={onClose}
      onSubmit={() => void save()}
      footer={
        <span className="end row">
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={submit.isBusy} disabled={!role}>
            {w.changeRoleAct}
          </Button>
        </span>
      }
    >
      <RolesField value={role} onChange={choose} />
      {submit.cause !== undefined && <FailureNote cause={submit.cause} />}
    </Dialog>
  )
}
