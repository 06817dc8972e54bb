/** The heading of the pages of a zone: its state, its tabs, and taking it along as a file. */
import type { ReactNode } from 'react'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { Protected } from '../../pages/shared/cells.tsx'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { GoneNote } from '../../shell/gone.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { tellFailure } from '../../ui/failure.tsx'
import { useGo } from '../../ui/link.tsx'
import { DotsMenu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { State } from '../../ui/state.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { common as c } from '../../words/common.ts'
import { resources as r } from '../../words/resources.ts'
import { zones as w } from './words.ts'
import { delegationOf, useZone, type Zone, zoneActs } from './zone.ts'

interface ZoneHeadProps {
  readonly zone: Zone
  readonly tab: 'records' | 'import' | 'settings'
  /** The primary button of the page. */
  readonly primary?: ReactNode
}

export function ZoneHead({ zone, tab, primary }: ZoneHeadProps) {
  const api = useApi()
  const go = useGo()
  const list = linkTo('zones', 'list')
  const acts = useResourceActs(zoneActs, () => void go(list))
  const { isGone } = useZone()
  const { mood, text } = delegationOf(zone)
  // The address of the records begins those of the other tabs.
  const link = (name?: string) => linkTo('zones', 'one', { zone: zone.name, tab: name })
  const exportFile = async () => {
    try {
      const { zonefile } = await api.call('zones_exportZonefile', { params: { id_or_name: zone.name } })
      saveFile(`${zone.name}.zone`, zonefile, 'text/dns')
    } catch (cause) {
      tellFailure(cause, w.notExported)
    }
  }
  return (
    <>
      <PageHead
        title={zone.name}
        crumbs={[{ label: w.title, link: list }]}
        facts={
          <>
            <State mood={mood}>{text}</State>
            <span>{w.modes[zone.mode]}</span>
            <span>{w.recordCount(zone.record_count)}</span>
            {zone.protection.delete && <Protected />}
            <Copyable text={String(zone.id)} label={c.copyId} />
          </>
        }
        actions={
          <>
            <CommandsButton requests={commandsFor(zone)} />
            <Button
              icon="download"
              reason={zone.mode === 'primary' ? undefined : w.isCopy}
              onClick={() => void exportFile()}
            >
              {w.export}
            </Button>
            {primary}
            <DotsMenu small={false} label={c.actionsFor(zone.name)} entries={() => acts.menu(zone)} />
          </>
        }
      />
      {isGone && <GoneNote name={zone.name} back={{ label: w.title, link: list }} />}
      <Tabs
        label={zone.name}
        current={tab}
        tabs={[
          { key: 'records', label: w.records, link: link() },
          { key: 'import', label: w.import, link: linkTo('zones', 'importing', { zone: zone.name }) },
          { key: 'settings', label: r.settings, link: link('settings') },
        ]}
      />
      {acts.dialogs}
    </>
  )
}

function commandsFor({ name }: Zone) {
  const params = { id_or_name: name }
  const record = { ...params, rr_name: 'www', rr_type: 'A' }
  return [
    { label: w.listRecords, request: { operation: 'zones_listRrsets', params } },
    {
      label: w.setRecords,
      request: { operation: 'zones_setRecords', params: record, body: { records: [{ value: '203.0.113.10' }] } },
    },
    { label: w.export, request: { operation: 'zones_exportZonefile', params } },
  ] as const
}
