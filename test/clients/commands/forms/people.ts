/** The forms about Projects, tokens, members and people, which are for management tokens and thus for curl. */
import type { Asked } from '../../../../console/commands/request.ts'
import type { Life } from './life.ts'
import { form, nasty, type Step } from './steps.ts'

const own = (of: Life, operation: string, more: object = {}, body?: object): Asked => ({
  operation,
  params: { project_id: of.project, ...more },
  ...(body ? { body } : {}),
})
const token = (of: Life, named: string) => ({ token_id: of.id('tokens', named) })
const mail = (of: Life, who: string) => `${who}-${of.name}@example.com`
const person = (of: Life, who: string) => of.id('people', mail(of, who))
const named = (of: Life) => `${nasty.slice(0, 60)} of ${of.name}`

export const people: readonly Step[] = [
  form('settings/settings.tsx General', (of) =>
    own(of, 'management_updateProject', {}, { name: named(of), owner_email: mail(of, "it's") }),
  ),
  form('settings/limits.tsx LimitDialog', (of) => own(of, 'management_setLimits', {}, { limits: { servers: 7 } })),
  form('admin/limits-dialog.tsx LimitsDialog', (of) =>
    own(of, 'management_setLimits', {}, { limits: { servers: null, volumes: 9 } }),
  ),
  form('access/new-token.tsx NewToken', (of) =>
    own(
      of,
      'management_createToken',
      {},
      {
        name: nasty,
        access: 'read',
        scope: { families: ['servers'], label_selector: 'role in (web),!old' },
        expires: '2027-01-01T00:00:00Z',
      },
    ),
  ),
  form('access/tokens.tsx TokenDialog', (of) => own(of, 'management_renameToken', token(of, nasty), { name: "it's" })),
  form('access/tokens.tsx TokenDialog', (of) => own(of, 'management_rotateToken', token(of, "it's"), {})),
  form('access/tokens.tsx TokenDialog', (of) => own(of, 'management_revokeToken', token(of, "it's"))),
  ...['first', 'second'].map((who) =>
    form('admin/new-person.tsx NewPerson', (of) => ({
      operation: 'people_createPerson',
      body: { email: mail(of, who), name: nasty },
    })),
  ),
  form('admin/people.tsx Dialogs', (of) => ({
    operation: 'people_makePersonLink',
    params: { id: person(of, 'first') },
  })),
  form('admin/people.tsx Dialogs', (of) => ({
    operation: 'people_updatePerson',
    params: { id: person(of, 'second') },
    body: { disabled: true },
  })),
  form('admin/projects.tsx Join', (of) =>
    own(of, 'management_addMember', {}, { person_id: person(of, 'first'), role: 'owner' }),
  ),
  form('admin/projects.tsx Join', (of) =>
    own(of, 'management_addMember', {}, { person_id: person(of, 'second'), role: 'admin' }),
  ),
  form('access/role-dialog.tsx RoleDialog', (of) =>
    own(of, 'management_changeMember', { person_id: person(of, 'second') }, { role: 'viewer' }),
  ),
  form('access/members.tsx Dialogs', (of) =>
    own(of, 'management_transferProject', {}, { person_id: person(of, 'second') }),
  ),
  form('access/members.tsx Dialogs', (of) => own(of, 'management_removeMember', { person_id: person(of, 'first') })),
  form('access/invite-dialog.tsx InviteDialog', (of) =>
    own(of, 'people_invite', {}, { email: mail(of, 'third'), role: 'member' }),
  ),
  form('access/members.tsx Dialogs', (of) =>
    own(of, 'people_withdrawInvitation', { id: of.id('invitations', mail(of, 'third')) }),
  ),
  form('home/new-project.tsx NewProject', (of) => ({
    operation: 'management_createProject',
    body: { name: `${nasty.slice(0, 60)} new of ${of.name}` },
  })),
  form('settings/settings.tsx Danger', (of) => ({
    operation: 'management_deleteProject',
    params: { project_id: of.id('projects', `${nasty.slice(0, 60)} new of ${of.name}`) },
  })),
  form('admin/projects.tsx Dialogs', (of) => own(of, 'management_deleteInstalledProject')),
]
