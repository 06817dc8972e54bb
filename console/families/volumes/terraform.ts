/** Volumes as resources of Terraform. */
import {
  type Connect,
  idOf,
  list,
  type Make,
  numberOf,
  pick,
  resource,
  type Terraform,
  texts,
} from '../../commands/terraform/resources.ts'

const volume: Make = (body) => [
  resource('volume', body.name, {
    ...pick(body, 'name', 'size'),
    ...texts(body, 'location'),
    server_id: body.server as number | undefined,
    ...pick(body, 'automount', 'format', 'labels'),
  }),
]

const connect: Connect = ({ volumes, automount }, server) =>
  list(volumes).map((id, index) =>
    resource('volume_attachment', `${server.label}_${index + 1}`, {
      volume_id: Number(id),
      server_id: idOf(server),
      automount: automount as boolean | undefined,
    }),
  )

export const terraform: Terraform = {
  kindOf: () => 'volume',
  unread: ['format'],
  makers: {
    create: volume,
    attach: (body, { id }) => [
      resource('volume_attachment', '', {
        volume_id: numberOf(id),
        server_id: body.server as number,
        ...pick(body, 'automount'),
      }),
    ],
  },
  connections: { servers_create: connect },
}
