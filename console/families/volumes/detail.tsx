/** One volume: where it is, how large, how it is mounted, and what was done with it. */

import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { useApi } from '../../api/api.ts'
import { sh } from '../../commands/shell.ts'
import { linkTo } from '../../families.ts'
import { ActivityTab } from '../../pages/shared/activity.tsx'
import { Protected, ServerLink } from '../../pages/shared/cells.tsx'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { GoneNote, useOne } from '../../shell/gone.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { CommandLine, Copyable } from '../../ui/copy.tsx'
import { useGo } from '../../ui/link.tsx'
import { DotsMenu } from '../../ui/menu.tsx'
import { Columns, PageHead } from '../../ui/page.tsx'
import { Labels, None } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { prices as p } from '../../words/prices.ts'
import { resources as r } from '../../words/resources.ts'
import { useVolumeActs } from './acts.tsx'
import { entry } from './entry.ts'
import { VolumeState } from './state.tsx'
import { useVolumePrice, type Volume } from './volume.ts'
import { volumes as w } from './words.ts'

export function VolumePage() {
  const api = useApi()
  const go = useGo()
  const id = Number(entry.routes.one.useParams().id)
  const { data, isGone } = useOne(api.query('volumes_get', { params: { id } }))
  const { data: servers = [] } = useQuery(api.list('servers_list', {}))
  const { volume } = data
  const list = linkTo('volumes', 'list')
  const acts = useVolumeActs(servers, () => void go(list))
  return (
    <>
      <PageHead
        title={volume.name}
        crumbs={[{ label: w.title, link: list }]}
        facts={
          <>
            <VolumeState volume={volume} />
            <span>{volume.location.name}</span>
            {volume.protection.delete && <Protected />}
            <Copyable text={String(id)} label={c.copyId} />
          </>
        }
        actions={
          <>
            <CommandsButton requests={commandsFor(volume)} />
            {volume.server === null && (
              <Button look="primary" icon="link" reason={acts.mayAttach} onClick={() => acts.attach(volume)}>
                {w.attach}
              </Button>
            )}
            <DotsMenu small={false} label={c.actionsFor(volume.name)} entries={() => acts.menu(volume)} />
          </>
        }
      />
      {isGone && <GoneNote name={volume.name} back={{ label: w.title, link: list }} />}
      <Columns
        label={r.summary}
        aside={<Aside volume={volume} server={servers.find((one) => one.id === volume.server)?.name} />}
      >
        <Card title={w.mount} padded footer={volume.server === null ? w.mountFirst : w.mountText}>
          {volume.format === null && (
            <>
              <p className="dim">{w.formatFirst}</p>
              <CommandLine text={sh`mkfs.ext4 ${volume.linux_device}`} />
            </>
          )}
          <CommandLine text={sh`mkdir -p /mnt/${volume.name}`} />
          <CommandLine text={sh`mount -o discard,defaults ${volume.linux_device} /mnt/${volume.name}`} />
        </Card>
        <ActivityTab operation="volumes_listActions" id={id} name={volume.name} />
      </Columns>
      {acts.dialogs}
    </>
  )
}

function commandsFor({ id, size }: Volume) {
  const params = { id }
  return [
    { label: w.show, request: { operation: 'volumes_get', params } },
    { label: w.resize, request: { operation: 'volumes_resize', params, body: { size: size + 10 } } },
    { label: w.detach, request: { operation: 'volumes_detach', params } },
  ] as const
}

function Aside({ volume, server }: { readonly volume: Volume; readonly server: string | undefined }) {
  const price = useVolumePrice()(volume.size)
  return (
    <Card title={c.details} padded>
      <Facts
        rows={[
          [
            r.server,
            volume.server === null ? <None key="none" /> : <ServerLink key="server" id={volume.server} name={server} />,
          ],
          [
            w.size,
            <Fragment key="size">
              {w.gb(number(volume.size))}
              {price && (
                <>
                  <br />
                  {p.aMonth(price)}
                </>
              )}
            </Fragment>,
          ],
          [w.format, volume.format ?? <None key="format" />],
          [w.device, <Copyable key="device" text={volume.linux_device} />],
          [r.created, <Ago key="created" time={volume.created} />],
          [c.labels, <Labels key="labels" labels={volume.labels} />],
        ]}
      />
    </Card>
  )
}
