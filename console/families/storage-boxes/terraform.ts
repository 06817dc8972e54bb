/** Storage Boxes, their snapshots and their subaccounts as resources of Terraform. */
import {
  type Fields,
  type Make,
  numberOf,
  pick,
  resource,
  some,
  type Terraform,
  texts,
} from '../../commands/terraform/resources.ts'

/** Flags are one attribute there, and what is not said is off. */
const access = ({ access_settings: flags }: Fields) => ({
  access_settings: (flags ?? undefined) as Readonly<Record<string, boolean>> | undefined,
})

const box: Make = (body) => [
  resource('storage_box', body.name, {
    ...pick(body, 'name'),
    ...texts(body, 'storage_box_type', 'location'),
    ...pick(body, 'password'),
    ssh_keys: some(body.ssh_keys),
    ...access(body),
    ...pick(body, 'labels'),
  }),
]

const snapshot: Make = (body, { id }) => [
  resource('storage_box_snapshot', '', { storage_box_id: numberOf(id), ...pick(body, 'description', 'labels') }),
]

const subaccount: Make = (body, { id }) => [
  resource('storage_box_subaccount', body.name ?? '', {
    storage_box_id: numberOf(id),
    ...pick(body, 'home_directory', 'password', 'name', 'description'),
    ...access(body),
    ...pick(body, 'labels'),
  }),
]

export const terraform: Terraform = {
  kindOf: () => 'storage_box',
  unread: ['password', 'ssh_keys'],
  makers: { create: box, createSnapshot: snapshot, createSubaccount: subaccount },
}
