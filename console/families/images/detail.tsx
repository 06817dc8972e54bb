/** One image: what it is, who uses it, until when servers can be made from it, and what was done with it. */
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { ActivityTab } from '../../pages/shared/activity.tsx'
import { Protected, ServerLink } from '../../pages/shared/cells.tsx'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { GoneNote, useOne } from '../../shell/gone.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Facts, List } from '../../ui/card.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { useGo } from '../../ui/link.tsx'
import { DotsMenu } from '../../ui/menu.tsx'
import { Note } from '../../ui/note.tsx'
import { Columns, PageHead } from '../../ui/page.tsx'
import { Labels, None } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { resources as r } from '../../words/resources.ts'
import { useImageActs } from './acts.tsx'
import { entry } from './entry.ts'
import { isOwn, type Shown, shown } from './image.ts'
import { dayOf, ImageStatus } from './status.tsx'
import { images as w } from './words.ts'

export function ImagePage() {
  const api = useApi()
  const go = useGo()
  const id = Number(entry.routes.one.useParams().id)
  const { data, isGone } = useOne(api.query('images_get', { params: { id } }))
  const image = shown(data.image)
  const list = linkTo('images', 'list')
  const acts = useImageActs(() => void go(list))
  return (
    <>
      <PageHead
        title={image.name}
        crumbs={[{ label: w.title, link: list }]}
        facts={
          <>
            <ImageStatus image={image} />
            <span>{w.kinds[image.type]}</span>
            {image.protection.delete && <Protected />}
            <Copyable text={String(id)} label={c.copyId} />
          </>
        }
        actions={
          <>
            <CommandsButton requests={commandsFor(image)} />
            <Button look="primary" icon="plus" reason={acts.createReason(image)} onClick={() => acts.create(image)}>
              {w.createServer}
            </Button>
            {isOwn(image) && (
              <DotsMenu small={false} label={c.actionsFor(image.name)} entries={() => acts.menu(image)} />
            )}
          </>
        }
      />
      {isGone && <GoneNote name={image.name} back={{ label: w.title, link: list }} />}
      {image.deprecation && (
        <Note mood="warn">
          {w.deprecatedText(dayOf(image.deprecation.announced), dayOf(image.deprecation.unavailable_after))}
        </Note>
      )}
      <Columns label={r.summary} aside={<Aside image={image} />}>
        <Users id={id} />
        {isOwn(image) && <ActivityTab operation="images_listActions" id={id} name={image.name} />}
      </Columns>
      {acts.dialogs}
    </>
  )
}

function commandsFor(image: Shown) {
  const params = { id: image.id }
  const body = { name: 'web-1', server_type: 'cx23', image: image.slug ?? String(image.id) }
  return [
    { label: w.show, request: { operation: 'images_get', params } },
    { label: w.createServer, request: { operation: 'servers_create', body } },
    ...(isOwn(image)
      ? ([
          { label: r.protect, request: { operation: 'images_changeProtection', params, body: { delete: true } } },
          { label: w.deleteAct, request: { operation: 'images_remove', params } },
        ] as const)
      : []),
  ] as const
}

/** The servers that were made from it. */
function Users({ id }: { readonly id: number }) {
  const { data: servers = [] } = useQuery(useApi().list('servers_list', {}))
  const users = servers.filter(({ image }) => image?.id === id)
  return (
    <Card title={r.usedBy} padded={users.length === 0}>
      {users.length === 0 ? (
        <p className="dim">{w.unused}</p>
      ) : (
        <List>
          {users.map(({ id: server, name, location }) => (
            <li key={server}>
              <ServerLink id={server} name={name} />
              <span className="end faint">{location?.name}</span>
            </li>
          ))}
        </List>
      )}
    </Card>
  )
}

function Aside({ image }: { readonly image: Shown }) {
  const { description, os_flavor: flavor, os_version: version, image_size: size, disk_size: disk } = image
  return (
    <Card title={c.details} padded>
      <Facts
        rows={[
          ...(image.slug ? ([[c.name, <Copyable key="name" text={image.slug} />]] as const) : []),
          [w.system, description && image.slug ? description : [flavor, version].filter(Boolean).join(' ')],
          [w.architecture, image.architecture],
          [w.size, size === null ? <None key="size" /> : w.gb(number(size))],
          [w.neededDisk, w.gb(number(disk))],
          ...(image.created_from
            ? ([[w.from, <ServerLink key="from" id={image.created_from.id} name={image.created_from.name} />]] as const)
            : []),
          [r.created, <Ago key="created" time={image.created} />],
          [c.labels, <Labels key="labels" labels={image.labels} />],
        ]}
      />
    </Card>
  )
}
