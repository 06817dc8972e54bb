/** Another type for the server: what fits, what it costs, and why the others do not fit. */

import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/api.ts'
import { aMonth, money } from '../../../lib/money.ts'
import { useReason } from '../../../shell/may.ts'
import { Button } from '../../../ui/button.tsx'
import card from '../../../ui/card.module.css'
import { Card } from '../../../ui/card.tsx'
import { Check } from '../../../ui/check.tsx'
import { cx } from '../../../ui/cx.ts'
import table from '../../../ui/table.module.css'
import { number } from '../../../words/format.ts'
import { prices as p } from '../../../words/prices.ts'
import { ratesIn } from '../../pricing/lines.ts'
import { obstacleOf, type ServerType } from '../draft.ts'
import { newServer as n } from '../new.words.ts'
import { obstacleText } from '../obstacle.ts'
import { isAt, type Server } from '../server.ts'
import { TypeHead } from '../type-head.tsx'
import type { ChangeProps } from './change-dialogs.tsx'
import { serverTabs } from './words.ts'

const w = serverTabs.change

export function RescaleCard({ server, busy, ask }: ChangeProps) {
  const api = useApi()
  const { data: types } = useSuspenseQuery(api.list('server_types_list', {}))
  const { pricing } = useSuspenseQuery(api.query('pricing_get', {})).data
  const [chosen, choose] = useState<string>()
  const [growsDisk, setGrowsDisk] = useState(false)
  const may = useReason('servers_changeType')
  const monthOf = ({ prices }: ServerType) => ratesIn(prices, isAt(server))?.monthly
  const costOf = (type: ServerType) => {
    const cost = monthOf(type)
    return cost === undefined ? '' : money(cost, pricing.currency)
  }
  const type = types.find(({ name }) => name === chosen)
  const reason = may ?? busy ?? (server.status === 'off' ? (type ? undefined : w.chooseType) : w.mustBeOff)
  const rescale = (wanted: ServerType) => {
    const disk = number(growsDisk ? wanted.disk : server.primary_disk_size)
    const cost = monthOf(wanted)
    const costs = cost && w.rescaleCosts(wanted.name, aMonth(cost, pricing.currency))
    const text = [costs, growsDisk ? w.growsDisk(disk) : w.keepsDisk(disk)].filter(Boolean).join(' ')
    ask({ kind: 'rescale', type: wanted.name, growsDisk, text })
  }
  return (
    <Card title={w.rescale}>
      <p className={cx(card.pad, 'dim')}>{w.rescaleText}</p>
      <TypeTable server={server} types={types} chosen={chosen} onChange={choose} costOf={costOf} />
      <div className={cx(card.pad, 'stack')}>
        <p className="faint">{p.areNet}</p>
        <Check kind="switch" checked={growsDisk} onChange={setGrowsDisk} aside={w.withDiskAside}>
          {w.withDisk}
        </Check>
        <p>
          <Button look="primary" reason={reason} onClick={() => type && rescale(type)}>
            {type ? w.rescaleAct(type.name) : w.rescale}
          </Button>
        </p>
      </div>
    </Card>
  )
}

/** Returns why the server cannot have a type; undefined when it can. */
function problemOf(type: ServerType, server: Server, now: number): string | undefined {
  const { server_type: current, primary_disk_size: disk } = server
  if (type.id === current.id) return w.isThis
  if (type.architecture !== current.architecture) return w.otherChip(n.chips[type.architecture] ?? type.architecture)
  if (type.storage_type !== current.storage_type) return w.otherStorage
  const location = isAt(server)
  const obstacle = obstacleOf(type, { location, image: undefined }, [], now)
  if (obstacle) return obstacleText(obstacle, location)
  return type.disk < disk ? w.smallDisk(number(type.disk), number(disk)) : undefined
}

const columns = ['cores', 'memory', 'disk', 'month'] as const

interface TypeTableProps {
  readonly server: Server
  readonly types: readonly ServerType[]
  readonly chosen: string | undefined
  readonly onChange: (type: string) => void
  readonly costOf: (type: ServerType) => string
}

function TypeTable({ server, types, ...rest }: TypeTableProps) {
  const [isWhole, showWhole] = useState(false)
  const now = Date.now()
  const rows = types.map((type) => ({ type, problem: problemOf(type, server, now) }))
  // Types of other chips and places are of no interest before all are asked for.
  const isNear = ({ architecture, locations }: ServerType) =>
    architecture === server.server_type.architecture && locations.some(({ name }) => name === isAt(server))
  const shown = rows.filter(({ type }) => isWhole || isNear(type))
  return (
    <>
      <table className={cx(table.table, table.plain, table.tight)}>
        <caption className="vh">{w.rescale}</caption>
        <TypeHead columns={columns} />
        <tbody>
          {shown.map(({ type, problem }) => (
            <Row key={type.id} type={type} problem={problem} {...rest} />
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <p className={card.pad}>
          <Button small look="quiet" onClick={() => showWhole(true)}>
            {n.showAll} ({number(rows.length)})
          </Button>
        </p>
      )}
    </>
  )
}

interface RowProps extends Pick<TypeTableProps, 'chosen' | 'onChange' | 'costOf'> {
  readonly type: ServerType
  readonly problem: string | undefined
}

function Row({ type, problem, chosen, onChange, costOf }: RowProps) {
  const { name, cores, memory, disk, cpu_type: kind } = type
  return (
    // The choice is in its first cell, for keys and readers; a pointer takes the whole row.
    <tr
      onClick={() => problem === undefined && onChange(name)}
      className={cx(problem ? table.cannot : table.choosable)}
      aria-selected={chosen === name || undefined}
    >
      <td className={table.pick}>
        <Check
          kind="radio"
          name="type"
          aria-label={name}
          checked={chosen === name}
          disabled={problem !== undefined}
          onChange={() => onChange(name)}
        />
      </td>
      <td>
        <b>{name}</b>
      </td>
      {problem ? (
        <td colSpan={4} className="faint">
          {problem}
        </td>
      ) : (
        <>
          <td className="right">{kind === 'dedicated' ? n.own(number(cores)) : number(cores)}</td>
          <td className="right">{n.gigabytes(number(memory))}</td>
          <td className="right not-narrow">{n.gigabytes(number(disk))}</td>
          <td className="right">{costOf(type)}</td>
        </>
      )}
    </tr>
  )
}
