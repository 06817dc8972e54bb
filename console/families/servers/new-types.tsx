/** The table of types. What the location or the image cannot have is grey and says why. */

import { useState } from 'react'
import { money } from '../../lib/money.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Check } from '../../ui/check.tsx'
import { cx } from '../../ui/cx.ts'
import table from '../../ui/table.module.css'
import { number } from '../../words/format.ts'
import { prices as p } from '../../words/prices.ts'
import { ratesIn } from '../pricing/lines.ts'
import type { Choices } from './choices.ts'
import { type Draft, type Obstacle, obstacleOf, type ServerType } from './draft.ts'
import { newServer as w } from './new.words.ts'
import { obstacleText } from './obstacle.ts'
import { TypeHead } from './type-head.tsx'

const columns = ['chip', 'cores', 'memory', 'disk', 'hour', 'month'] as const

interface TypesProps {
  readonly draft: Draft
  readonly data: Choices
  readonly change: (part: { readonly type: string }) => void
}

export function TypeTable({ draft, data, change }: TypesProps) {
  const [isWhole, showWhole] = useState(false)
  const now = Date.now()
  const rows = data.types.map((type) => ({ type, obstacle: obstacleOf(type, draft, data.images, now) }))
  // Types of other continents or of the past are of no interest before all are asked for.
  const shown = rows.filter(({ type, obstacle }) => isWhole || type.name === draft.type || !isFar(obstacle))
  return (
    <>
      <Card footer={p.areNet}>
        <table className={cx(table.table, table.plain, table.tight)}>
          <caption className="vh">{w.type}</caption>
          <TypeHead columns={columns} />
          <tbody>
            {shown.map(({ type, obstacle }) => (
              <Row
                key={type.id}
                type={type}
                obstacle={obstacle}
                draft={draft}
                currency={data.pricing.currency}
                onChange={(type) => change({ type })}
              />
            ))}
          </tbody>
        </table>
      </Card>
      {shown.length < rows.length && (
        <p>
          <Button small look="quiet" onClick={() => showWhole(true)}>
            {w.showAll} ({number(rows.length)})
          </Button>
        </p>
      )}
    </>
  )
}

function isFar(obstacle: Obstacle | undefined): boolean {
  return obstacle?.kind === 'ended' || obstacle?.kind === 'elsewhere'
}

interface RowProps {
  readonly type: ServerType
  readonly obstacle: Obstacle | undefined
  readonly draft: Draft
  readonly currency: string
  readonly onChange: (type: string) => void
}

function Row({ type, obstacle, draft, currency, onChange }: RowProps) {
  const { name, architecture, cores, memory, disk, cpu_type: kind } = type
  const rates = ratesIn(type.prices, draft.location)
  const isChosen = draft.type === name
  return (
    // The choice is in its first cell, for keys and readers; a pointer takes the whole row.
    <tr
      onClick={() => obstacle === undefined && onChange(name)}
      className={cx(obstacle ? table.cannot : table.choosable)}
      aria-selected={isChosen || undefined}
    >
      <td className={table.pick}>
        <Check
          kind="radio"
          name="type"
          aria-label={name}
          checked={isChosen}
          disabled={obstacle !== undefined}
          onChange={() => onChange(name)}
        />
      </td>
      <td>
        <b>{name}</b>
      </td>
      {obstacle ? (
        <td colSpan={6} className="faint">
          {obstacleText(obstacle, draft.location ?? '')}
        </td>
      ) : (
        <>
          <td className="dim not-narrow">{w.chips[architecture]}</td>
          <td className="right">{kind === 'dedicated' ? w.own(number(cores)) : number(cores)}</td>
          <td className="right">{w.gigabytes(number(memory))}</td>
          <td className="right not-narrow">{w.gigabytes(number(disk))}</td>
          <td className="right dim not-narrow">{rates && money(rates.hourly, currency, 4)}</td>
          <td className="right">{rates && money(rates.monthly, currency)}</td>
        </>
      )}
    </tr>
  )
}
