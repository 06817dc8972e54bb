/** The images of a Project: its snapshots and backups, and what servers can be made from. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { type LinkProps, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type ItemOf, useApi, useOutdate, useProjectId } from '../../api/api.ts'
import { useReason } from '../../shell/may.ts'
import { State } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { common } from '../../words/en/common.ts'
import { images as english } from '../../words/en/images.ts'
import { resources } from '../../words/en/resources.ts'
import { date, number } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { type ActsOptions, type Resource, useResourceActs } from '../shared/acts.tsx'
import { ageColumn, labelsColumn, Protected, ServerLink } from '../shared/cells.tsx'
import { ListPage } from '../shared/list-page.tsx'

const w = wordsOf('images', english)
const r = wordsOf('resources', resources)
const c = wordsOf('common', common)

type Image = ItemOf<'images_list'>
/** As a resource with a name: snapshots and backups have only a description. */
type Shown = Omit<Image, 'name'> & Resource & { readonly slug: string | null }

const imageActs: ActsOptions<Shown> = { family: 'images', lost: w.deleteText, deleteAct: w.deleteAct }

const textsOf = ({ name, description, os_flavor: flavor }: Shown) => [name, description, flavor]
const isOwn = ({ type }: Shown) => type === 'snapshot' || type === 'backup'

export function ImagesPage() {
  const api = useApi()
  const { data: images, dataUpdatedAt } = useSuspenseQuery(
    api.list('images_list', { query: { include_deprecated: true } }),
  )
  const { data: servers = [] } = useQuery(api.list('servers_list', {}))
  const navigate = useNavigate()
  const outdate = useOutdate()
  const project = String(useProjectId())
  const acts = useResourceActs(imageActs)
  const mayCreate = useReason('servers_create')
  const mayUpdate = useReason('images_update')
  const rows = useMemo(() => images.map(shown), [images])
  const columns = useMemo(() => {
    const names = new Map(servers.map(({ id, name }) => [id, name]))
    const users = Map.groupBy(servers, ({ image }) => image?.id)
    return columnsFor(
      (id) => names.get(id),
      ({ id }) => users.get(id) ?? [],
    )
  }, [servers])
  const create = (image: Shown) =>
    void navigate({
      to: '/projects/$project/servers/new',
      params: { project },
      search: { image: image.slug ?? String(image.id) },
    } as LinkProps)
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
      menu={(image) => [
        {
          key: 'server',
          label: w.createServer,
          icon: 'server',
          reason: mayCreate ?? (image.status === 'creating' ? w.isCreating : undefined),
          onSelect: () => create(image),
        },
        ...(image.type === 'backup'
          ? ([
              {
                key: 'keep',
                label: w.makeSnapshot,
                icon: 'copy',
                reason: mayUpdate,
                onSelect: () =>
                  void api
                    .call('images_update', { params: { id: image.id }, body: { type: 'snapshot' } })
                    .then(() => outdate('images')),
              },
            ] as const)
          : []),
        ...(isOwn(image) ? (['line', ...acts.menu(image)] as const) : []),
      ]}
    >
      {acts.dialogs}
    </ListPage>
  )
}

function shown({ name, ...image }: Image): Shown {
  return { ...image, slug: name, name: name ?? (image.description || `#${image.id}`) }
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
      cell: ({ name, slug, description, protection }) => (
        <>
          <span className="row">
            <b>{name}</b>
            {protection.delete && <Protected />}
          </span>
          {slug && description !== slug && <small>{description}</small>}
        </>
      ),
    },
    { key: 'status', label: r.status, card: 'stat', cell: (image) => <Status image={image} /> },
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

/** Whether it can be used, and until when. */
function Status({ image: { status, deprecation } }: { readonly image: Shown }) {
  if (status === 'creating') return <State mood="busy">{w.creating}</State>
  if (!deprecation) return <State mood="ok">{w.available}</State>
  const end = deprecation.unavailable_after
  return (
    <>
      <State mood="warn">{w.deprecated}</State>
      <small>{w.until(date(end, { day: 'numeric', month: 'short', year: 'numeric' }))}</small>
    </>
  )
}
