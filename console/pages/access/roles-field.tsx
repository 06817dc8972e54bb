/** Chooses a role, with what it may do. */
import { roles as all, type Role } from '../../../src/kernel/access/roles.ts'
import { Tiles } from '../../ui/tile.tsx'
import { access } from '../../words/access.ts'
import { shell } from '../../words/shell.ts'

const w = access.members
const { roles } = shell

/** Roles that are given; that of the owner is handed over. */
export type GivenRole = Exclude<Role, 'owner'>
const given = all.filter((role): role is GivenRole => role !== 'owner')

export function RolesField({
  value,
  onChange,
}: {
  readonly value: GivenRole | undefined
  readonly onChange: (role: GivenRole) => void
}) {
  return (
    <fieldset>
      <legend>{w.role}</legend>
      <Tiles
        name="role"
        value={value}
        options={given.map((role) => ({ value: role, title: roles[role], text: w.may[role] }))}
        onChange={onChange}
      />
    </fieldset>
  )
}
