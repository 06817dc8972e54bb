/**
 * The management API on the wire, below `/wolke/v1`: who a caller is, Projects, their tokens and their limits, for people
 * and for the operator's automation (docs/tokens.md).
 */
import { Type } from 'typebox'
import { roles } from '../kernel/access/roles.ts'
import {
  booleanParam,
  closedObject,
  defineEndpoints,
  Id,
  Meta,
  named,
  nullable,
  Timestamp,
  widePaging,
} from '../kernel/contract/contract.ts'
import { installationEndpoints } from './installation/contract.ts'
import { Counts, Limit } from './shapes.ts'

declare module '../kernel/errors.ts' {
  interface CallCodes {
    project_not_empty: 409
    member_is_owner: 422
    mail_not_retryable: 422
  }
}

const section = 'Management'
const Access = Type.Enum(['read', 'read_write'])
const Role = Type.Enum([...roles])
const Name = Type.String({ minLength: 1, maxLength: 128 })
const Email = Type.String({ minLength: 3, maxLength: 254 })
const Texts = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 200 })

const Whoami = named('Whoami', {
  kind: Type.Enum(['person', 'token', 'management']),
  id: Id,
  name: Type.String({ description: 'The mail address of a person, the name of a token' }),
  display_name: nullable(Type.String({ description: 'What a person is called; null while nobody has said so' })),
  project: nullable(Type.Object({ id: Id, name: Type.String() })),
  role: nullable(Role),
  rights: nullable(
    named('Rights', {
      access: Access,
      families: Type.Array(Type.String()),
      verbs: Type.Array(Type.String()),
      label_selector: nullable(Type.String()),
    }),
  ),
  expires: nullable(Timestamp),
  operator: Type.Boolean(),
})

const Summary = named('ProjectSummary', {
  running_actions: Type.Integer({ minimum: 0 }),
  failed_resources: Type.Integer({
    minimum: 0,
    description:
      'Certificates that were not issued or not renewed, but for those counted as ending, zones whose primary servers do not answer, Load Balancers with targets that are not healthy, and failures of actions within a day that stand',
  }),
  ending_certificates: Type.Integer({
    minimum: 0,
    description: 'Certificates that have ended or end within 30 days, and are not renewed by themselves',
  }),
  monthly: Type.Object(
    { currency: Type.String(), net: Type.String(), gross: Type.String() },
    { description: 'An estimate of what a month costs of what is there' },
  ),
})

const Project = named('Project', {
  id: Id,
  name: Type.String(),
  owner_email: nullable(Type.String()),
  created: Timestamp,
  role: nullable(Role),
  resources: Counts,
  summary: nullable(Summary),
})

const Scope = named('TokenScope', {
  families: Type.Optional(Type.Array(Type.String())),
  verbs: Type.Optional(Type.Array(Type.String())),
  label_selector: Type.Optional(Type.String()),
})

const Token = named('Token', {
  id: Id,
  name: Type.String(),
  access: Access,
  scope: nullable(Scope),
  ends_with: Type.String(),
  created: Timestamp,
  created_by: nullable(
    Type.Object({ kind: Type.Enum(['person', 'token', 'management']), id: Id, name: Type.String() }),
  ),
  expires: nullable(Timestamp),
  last_used: nullable(Timestamp),
  given: Type.Boolean({ description: 'Whether the server was started with it' }),
  rotates: nullable(Id),
})

const NewToken = Type.Object({ token: Token, secret: Type.String({ description: 'Shown here once and never again' }) })

const Member = named('Member', {
  person_id: Id,
  email: Type.String(),
  name: Type.String(),
  role: Role,
  given_by: Type.Enum(['person', 'group']),
  created: Timestamp,
  last_seen: nullable(Timestamp),
  has_second_factor: Type.Boolean(),
  is_verified: Type.Boolean({ description: 'Whether it is known that the address is theirs' }),
})
const MemberReply = Type.Object({ member: Member })

const LimitsReply = Type.Object({ limits: Type.Array(Limit) })

const project = '/projects/{project_id}' as const
const tokens = `${project}/tokens` as const
const ProjectReply = Type.Object({ project: Project })
const TokenReply = Type.Object({ token: Token })
const Expires = Type.Optional(nullable(Type.String({ maxLength: 40, description: 'A time in RFC 3339, to come' })))

const projectEndpoints = defineEndpoints({
  listProjects: {
    family: 'projects',
    method: 'GET',
    needs: 'anyone',
    path: '/projects',
    summary: 'List the Projects of the caller; operators see all',
    section,
    query: { ...widePaging(50), summary: booleanParam('Also summarize each Project that the caller is in') },
    status: 200,
    reply: Type.Object({ projects: Type.Array(Project), meta: Meta }),
    errors: [],
  },
  createProject: {
    family: 'projects',
    method: 'POST',
    needs: 'operator',
    path: '/projects',
    summary: 'Create a Project',
    section,
    body: closedObject({ name: Name, owner_email: Type.Optional(nullable(Email)) }),
    status: 201,
    reply: ProjectReply,
    errors: ['uniqueness_error'],
  },
  getProject: {
    family: 'projects',
    method: 'GET',
    needs: 'viewer',
    path: project,
    summary: 'Get a Project',
    section,
    status: 200,
    reply: ProjectReply,
    errors: [],
  },
  updateProject: {
    family: 'projects',
    method: 'PUT',
    needs: 'admin',
    // Its owner is told there who was let in, and its name decides whom `--oidc-groups` lets in.
    elevated: true,
    path: project,
    summary: 'Change the name of a Project or who receives mail about it',
    section,
    body: closedObject({ name: Type.Optional(Name), owner_email: Type.Optional(nullable(Email)) }),
    status: 200,
    reply: ProjectReply,
    errors: ['uniqueness_error'],
  },
  deleteProject: {
    family: 'projects',
    method: 'DELETE',
    needs: 'owner',
    elevated: true,
    path: project,
    summary: 'Delete an empty Project with its tokens',
    section,
    status: 204,
    errors: ['project_not_empty'],
    statuses: { project_not_empty: 409 },
  },
})

const tokenEndpoints = defineEndpoints({
  listTokens: {
    family: 'tokens',
    method: 'GET',
    needs: 'admin',
    path: tokens,
    summary: 'List the API tokens of a Project',
    section,
    status: 200,
    reply: Type.Object({ tokens: Type.Array(Token) }),
    errors: [],
  },
  createToken: {
    family: 'tokens',
    method: 'POST',
    needs: 'admin',
    elevated: true,
    path: tokens,
    summary: 'Create an API token; its text is shown once',
    section,
    body: closedObject({
      name: Name,
      access: Access,
      scope: Type.Optional(
        nullable(
          closedObject({
            families: Type.Optional(nullable(Texts)),
            verbs: Type.Optional(nullable(Texts)),
            label_selector: Type.Optional(nullable(Type.String({ maxLength: 1024 }))),
          }),
        ),
      ),
      expires: Expires,
    }),
    status: 201,
    reply: NewToken,
    errors: [],
  },
  renameToken: {
    family: 'tokens',
    method: 'PUT',
    needs: 'admin',
    path: `${tokens}/{token_id}`,
    summary: 'Rename an API token',
    section,
    body: closedObject({ name: Name }),
    status: 200,
    reply: TokenReply,
    errors: [],
  },
  rotateToken: {
    family: 'tokens',
    method: 'POST',
    needs: 'admin',
    elevated: true,
    path: `${tokens}/{token_id}/rotate`,
    summary: 'Create a second API token with the rights of another one; both work until one is revoked',
    section,
    body: closedObject({ expires: Expires }),
    status: 201,
    reply: NewToken,
    errors: [],
  },
  revokeToken: {
    family: 'tokens',
    method: 'DELETE',
    needs: 'admin',
    path: `${tokens}/{token_id}`,
    summary: 'Revoke an API token',
    section,
    status: 204,
    errors: [],
  },
})

const members = `${project}/members` as const

export const memberEndpoints = defineEndpoints({
  listMembers: {
    family: 'members',
    method: 'GET',
    needs: 'viewer',
    notForTokens: true,
    path: members,
    summary: 'List who belongs to a Project',
    section,
    status: 200,
    reply: Type.Object({ members: Type.Array(Member) }),
    errors: [],
  },
  addMember: {
    family: 'members',
    method: 'POST',
    needs: 'operator',
    elevated: true,
    path: members,
    summary:
      'Give a person a role in a Project without an invitation; its owner is told by mail. A Project without an owner gets one so',
    section,
    body: closedObject({ person_id: Id, role: Role }),
    status: 201,
    reply: MemberReply,
    errors: ['member_is_owner'],
  },
  changeMember: {
    family: 'members',
    method: 'PUT',
    needs: 'admin',
    elevated: true,
    path: `${members}/{person_id}`,
    summary: 'Give a member another role',
    section,
    body: closedObject({ role: Type.Enum(roles.filter((role) => role !== 'owner')) }),
    status: 200,
    reply: MemberReply,
    errors: ['member_is_owner'],
  },
  removeMember: {
    family: 'members',
    method: 'DELETE',
    needs: 'admin',
    elevated: true,
    path: `${members}/{person_id}`,
    summary: 'Remove a member from a Project',
    section,
    status: 204,
    errors: ['member_is_owner'],
  },
  transferProject: {
    family: 'transfer',
    method: 'POST',
    needs: 'owner',
    elevated: true,
    path: `${project}/transfer`,
    summary: 'Make another member the owner of a Project; who owned it becomes an admin',
    section,
    body: closedObject({ person_id: Id }),
    status: 200,
    reply: MemberReply,
    errors: [],
  },
})

export const managementEndpoints = defineEndpoints({
  whoami: {
    family: 'whoami',
    method: 'GET',
    needs: 'anyone',
    path: '/whoami',
    summary: 'Tell who the caller is and what it may do',
    section,
    status: 200,
    reply: Type.Object({ whoami: Whoami }),
    errors: [],
  },
  ...projectEndpoints,
  ...tokenEndpoints,
  ...memberEndpoints,
  getLimits: {
    family: 'limits',
    method: 'GET',
    needs: 'viewer',
    path: `${project}/limits`,
    summary: 'Get the limits of a Project and what of them is used',
    section,
    status: 200,
    reply: LimitsReply,
    errors: [],
  },
  setLimits: {
    family: 'limits',
    method: 'PUT',
    needs: 'operator',
    path: `${project}/limits`,
    summary: 'Set limits of a Project: a number, null for none, `default` for that of the installation',
    section,
    body: closedObject({
      limits: Type.Record(
        Type.String({ maxLength: 64 }),
        Type.Union([Type.Integer({ minimum: 0, maximum: 999_999_999 }), Type.Null(), Type.Literal('default')]),
        { maxProperties: 64 },
      ),
    }),
    status: 200,
    reply: LimitsReply,
    errors: [],
  },
  ...installationEndpoints,
})
