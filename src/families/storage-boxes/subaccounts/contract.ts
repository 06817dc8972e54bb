/** Subaccounts of Storage Boxes on the wire (spec: Storage Boxes). */
import { Type } from 'typebox'
import { ActionReply, ActionSchema, actionsOf } from '../../../kernel/actions/contract.ts'
import { since } from '../../../kernel/contract/as-of.ts'
import {
  closed,
  closedObject,
  defineEndpoints,
  Id,
  Labels,
  named,
  Timestamp,
  textParam,
} from '../../../kernel/contract/contract.ts'
import { secret } from '../../../kernel/contract/marks.ts'
import { listingOfParts } from '../../../kernel/contract/parts.ts'
import { storageBoxChanges } from '../changes.ts'
import { eachFlag, maxPassword, minPassword } from '../domain.ts'
import { maxDescription, maxHome, maxName, subaccountFlags } from './domain.ts'

/** Subaccounts belong to the family of their boxes; in replies they are called by the last part of their path. */
export const subaccountSpelling = {
  type: 'storage_box_subaccount',
  path: 'storage_box_subaccounts',
  title: 'subaccount',
  titles: 'subaccounts of Storage Boxes',
  sortable: ['id', 'created'],
} as const

const section = 'Storage Boxes'
const box = '/storage_boxes/{id}'
const all = `${box}/subaccounts` as const
const one = `${all}/{subaccount_id}` as const
const action = actionsOf(one, section)

const someAccess = eachFlag(subaccountFlags, () => Type.Optional(Type.Boolean()))
const SomeAccess = named('NewStorageBoxSubaccountAccess', someAccess, closed)

export const Subaccount = named('StorageBoxSubaccount', {
  id: Id,
  storage_box: Id,
  username: Type.String(),
  name: since(storageBoxChanges.subaccount_name, Type.String()),
  description: Type.String(),
  home_directory: Type.String(),
  server: Type.String(),
  access_settings: named(
    'StorageBoxSubaccountAccess',
    eachFlag(subaccountFlags, () => Type.Boolean()),
  ),
  labels: Labels,
  created: Timestamp,
})

/** The password of a box or of a subaccount. */
export const Password = secret(
  Type.String({
    maxLength: 4 * maxPassword,
    description: `${minPassword} to ${maxPassword} characters, with upper and lower case, a digit and a special character`,
  }),
)

const Reply = Type.Object({ subaccount: Subaccount })
const Name = Type.Optional(Type.String({ minLength: 1, maxLength: maxName }))
const Description = Type.Optional(Type.String({ maxLength: maxDescription }))
const Home = Type.String({
  minLength: 1,
  maxLength: maxHome,
  description: 'A directory of the box, without a slash at its beginning; it is made where it is missing',
})

export const subaccountEndpoints = defineEndpoints({
  listSubaccounts: {
    method: 'GET',
    needs: 'viewer',
    path: all,
    of: box,
    summary: 'List the subaccounts of a Storage Box, all at once',
    section,
    query: { ...listingOfParts(subaccountSpelling.sortable), username: textParam('Exact username') },
    status: 200,
    reply: Type.Object({ subaccounts: Type.Array(Subaccount) }),
    errors: [],
  },
  createSubaccount: {
    method: 'POST',
    needs: 'restricted',
    path: all,
    of: box,
    summary: 'Give a Storage Box a subaccount',
    section,
    body: closedObject({
      home_directory: Home,
      password: Password,
      name: Name,
      description: Description,
      access_settings: Type.Optional(SomeAccess),
      labels: Type.Optional(Labels),
    }),
    status: 201,
    reply: Type.Object({ subaccount: Type.Object({ id: Id, storage_box: Id }), action: ActionSchema }),
    errors: ['locked', 'uniqueness_error', 'resource_limit_exceeded'],
  },
  getSubaccount: {
    method: 'GET',
    needs: 'viewer',
    path: one,
    of: one,
    within: box,
    summary: 'Get a subaccount of a Storage Box',
    section,
    status: 200,
    reply: Reply,
    errors: [],
  },
  updateSubaccount: {
    method: 'PUT',
    needs: 'restricted',
    path: one,
    of: one,
    summary: 'Change the name, the description or the labels of a subaccount of a Storage Box',
    section,
    body: closedObject({ name: Name, description: Description, labels: Type.Optional(Labels) }),
    status: 200,
    reply: Reply,
    errors: ['uniqueness_error'],
  },
  removeSubaccount: {
    method: 'DELETE',
    needs: 'restricted',
    path: one,
    of: one,
    summary: 'Delete a subaccount of a Storage Box; its files stay',
    section,
    status: 201,
    reply: ActionReply,
    errors: ['locked'],
  },
  changeHomeDirectory: action('change_home_directory', {
    needs: 'restricted',
    summary: 'Give a subaccount of a Storage Box another directory',
    body: closedObject({ home_directory: Home }),
    errors: ['locked'],
  }),
  resetSubaccountPassword: action('reset_subaccount_password', {
    needs: 'restricted',
    summary: 'Set the password of a subaccount of a Storage Box',
    body: closedObject({ password: Password }),
    errors: ['locked'],
  }),
  updateSubaccountAccess: action('update_access_settings', {
    needs: 'restricted',
    summary: 'Change how a subaccount of a Storage Box can be reached',
    body: SomeAccess,
    errors: ['locked'],
  }),
})
