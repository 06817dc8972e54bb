/** The columns of the list of servers. */
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { type Column, nameClass } from '../../ui/table.tsx'
import { Labels, None, Tags } from '../../ui/tag.tsx'
import { Age } from '../../ui/time.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { addressesOf, isAt, type Server } from './server.ts'
import { ServerStatus } from './status.tsx'
import { servers as w } from './words.ts'

export const serverColumns: readonly Column<Server>[] = [
  {
    key: 'name',
    label: w.columns.name,
    card: 'key',
    sort: ({ name }) => name,
    cell: (server) => <Name server={server} />,
  },
  {
    key: 'status',
    label: w.columns.status,
    card: 'stat',
    sort: ({ status }) => status,
    cell: (server) => <ServerStatus server={server} />,
  },
  {
    key: 'type',
    label: w.columns.type,
    sort: ({ server_type: { cores, memory } }) => cores * 10_000 + memory,
    cell: ({ server_type: { name, cores, memory } }) => (
      <>
        {name}
        <small className="nw">{w.size(number(cores), number(memory))}</small>
      </>
    ),
  },
  { key: 'location', label: w.columns.location, sort: isAt, cell: isAt },
  {
    key: 'addresses',
    label: w.columns.addresses,
    card: 'sub',
    isMono: true,
    cell: (server) => <Addresses server={server} />,
  },
  {
    key: 'image',
    label: w.columns.image,
    rank: 2,
    isNarrow: true,
    sort: ({ image }) => image?.name ?? '',
    cell: ({ image }) => image?.name ?? image?.description ?? <None />,
  },
  {
    key: 'firewall',
    label: w.columns.firewall,
    rank: 3,
    cell: ({ public_net: { firewalls } }) =>
      firewalls.length > 0 ? <Firewalls ids={firewalls.map(({ id }) => id)} /> : <None />,
  },
  { key: 'labels', label: w.columns.labels, rank: 2, cell: ({ labels }) => <Labels labels={labels} /> },
  {
    key: 'created',
    label: w.columns.created,
    isEnd: true,
    isNarrow: true,
    sort: ({ created }) => -Date.parse(created),
    cell: ({ created }) => (
      <span className="dim">
        <Age since={created} />
      </span>
    ),
  },
]

function Name({ server: { id, name, protection } }: { readonly server: Server }) {
  return (
    <span className="row">
      <Link {...linkTo('servers', 'one', { id })} className={nameClass}>
        {name}
      </Link>
      {protection.delete && (
        <span className="row faint" title={w.protected}>
          <Icon name="lock" />
          <span className="vh">{c.protected}</span>
        </span>
      )}
    </span>
  )
}

/** The names are those of the list of firewalls, which is read once for all rows. */
function Firewalls({ ids }: { readonly ids: readonly number[] }) {
  const api = useApi()
  const { data } = useQuery(api.list('firewalls_list', {}))
  return (
    <Tags>
      {ids.map((id) => (
        <Link key={id} {...linkTo('firewalls', 'one', { id })}>
          {data?.find((one) => one.id === id)?.name ?? `#${id}`}
        </Link>
      ))}
    </Tags>
  )
}

function Addresses({ server }: { readonly server: Server }) {
  const [first, second] = addressesOf(server)
  if (!first) return <None />
  return (
    <>
      {first}
      {second && <small>{second}</small>}
    </>
  )
}
