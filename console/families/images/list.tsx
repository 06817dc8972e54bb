/** The images of a Project: its snapshots and backups, and what servers can be made from. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { ageColumn, labelsColumn, NameCell, ServerLink } from '../../pages/shared/cells.tsx'
import { ListPage } from '../../pages/shared/list-page.tsx'
import type { Column } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { resources as r } from '../../words/resources.ts'
import { useImageActs } from './acts.tsx'
import { isOwn, type Shown, shown } from './image.ts'
import { ImageStatus } from './status.tsx'
import { images as w } from './words.ts'

const textsOf = ({ name, description, os_flavor: flavor }: Shown) => [name, description, flavor]

export function ImagesPage() {
  const api = useApi()
  const { data: images, dataUpdatedAt } = useSuspenseQuery(
    api.list('images_list', { query: { include_deprecated: true } }),
  )
  const { data: servers = [] } = useQuery(api.list('servers_list', {}))
  const acts = useImageActs()
  const rows = useMemo(() => images.map(shown), [images])
  const columns = useMemo(() => {
    const names = new Map(servers.map(({ id, name }) => [id, name]))
    const users = Map.groupBy(servers, ({ image }) => image?.id)
    return columnsFor(
      (id) => names.get(id),
      ({ id }) => users.get(id) ?? [],
    )
  }, [servers])
  return (
    <ListPage
      family="images"
      words={w}
      rows={rows}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      grouping={{
        label: r.type,
        of: ({ type }) => type,
        standard: images.some(({ type }) => type === 'snapshot') ? 'snapshot' : 'system',
        options: (['snapshot', 'backup', 'system', 'app'] as const).map((value) => ({ value, label: w.types[value] })),
      }}
      commands={commandsFor(rows.find(isOwn)?.id ?? 1)}
      menu={acts.menu}
    >
      {acts.dialogs}
    </ListPage>
  )
}

function commandsFor(id: number) {
  return [
    { label: w.list, request: { operation: 'images_list', query: { type: 'snapshot' } } },
    {
      label: r.rename,
      request: { operation: 'images_update', params: { id }, body: { description: 'before the upgrade' } },
    },
    { label: r.protect, request: { operation: 'images_changeProtection', params: { id }, body: { delete: true } } },
    { label: w.deleteAct, request: { operation: 'images_remove', params: { id } } },
  ] as const
}

function columnsFor(
  nameOf: (id: number) => string | undefined,
  usersOf: (image: Shown) => readonly { readonly id: number; readonly name: string }[],
): readonly Column<Shown>[] {
  return [
    {
      key: 'name',
      label: c.name,
      card: 'key',
      sort: ({ name }) => name,
      cell: ({ id, name, slug, description, protection }) => (
        <NameCell
          name={name}
          link={linkTo('images', 'one', { id })}
          isProtected={protection.delete}
          small={slug && description !== slug ? description : undefined}
        />
      ),
    },
    { key: 'status', label: r.status, card: 'stat', cell: (image) => <ImageStatus image={image} /> },
    {
      key: 'from',
      label: w.from,
      card: 'sub',
      cell: ({ created_from: from, bound_to: bound }) =>
        from ? <ServerLink id={from.id} name={nameOf(bound ?? from.id) ?? from.name} /> : <None />,
    },
    {
      key: 'size',
      label: w.size,
      isEnd: true,
      isNarrow: true,
      sort: ({ image_size: size, disk_size: disk }) => size ?? disk,
      cell: ({ image_size: size, disk_size: disk }) => (
        <>
          {size === null ? <None /> : w.gb(number(size))}
          <small>{w.disk(number(disk))}</small>
        </>
      ),
    },
    { key: 'architecture', label: w.architecture, rank: 2, cell: ({ architecture }) => architecture },
    {
      key: 'used',
      label: r.usedBy,
      rank: 2,
      cell: (image) => {
        const users = usersOf(image)
        if (users.length === 0) return <span className="faint">{r.nothing}</span>
        if (users.length > 2) return r.servers(users.length)
        return (
          <span className="row wrap">
            {users.map(({ id, name }) => (
              <ServerLink key={id} id={id} name={name} />
            ))}
          </span>
        )
      },
    },
    labelsColumn(),
    ageColumn(),
  ]
}
