/** Shows what will exist and what it costs, beside the form. */

import { sum, times } from '../../../src/protocols/net/decimal.ts'
import { toFailure } from '../../api/failure.ts'
import { money } from '../../lib/money.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts, Price } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { Note } from '../../ui/note.tsx'
import { unsaid } from '../../ui/use-submit.ts'
import { common as c } from '../../words/common.ts'
import { list, percent } from '../../words/format.ts'
import { prices as p } from '../../words/prices.ts'
import type { Line } from '../pricing/lines.ts'
import type { Choices } from './choices.ts'
import { costsOf, type Draft } from './draft.ts'
import { newServer as w } from './new.words.ts'
import { drawnFields } from './new-steps.tsx'

interface SummaryProps {
  readonly draft: Draft
  readonly data: Choices
  /** The names of what is still to be created. */
  readonly names: readonly string[]
  readonly isBusy: boolean
  /** The reason nothing can be created. */
  readonly reason: string | undefined
  readonly failed: Failed | undefined
}

/** A server that could not be created, or was, but without what belongs to it. */
export interface Failed {
  readonly name: string
  readonly cause: unknown
  readonly isMade: boolean
}

export function NewSummary({ draft, data, names, isBusy, reason, failed }: SummaryProps) {
  const { pricing } = data
  const costs = costsOf(draft, pricing)
  const count = names.length
  const keys = draft.picked.ssh_keys.ids
  const { currency } = pricing
  const total = (amounts: readonly (string | null)[]) => times(sum(amounts.map((one) => one ?? '0')), count)
  const month = money(total(costs.map(({ monthly }) => monthly)), currency)
  const hour = money(total(costs.map(({ hourly }) => hourly)), currency, 4)
  const words = ({ what, detail }: Line) => {
    if (what === 'server') return w.costs.type(detail, draft.location ?? '')
    if (what === 'backups') return w.costs.backups(percent(Number(pricing.server_backup.percentage)))
    return detail === 'ipv4' ? w.costs.ipv4 : w.costs.ipv6
  }
  return (
    <Card padded>
      {costs.length > 0 ? (
        <Price amount={month} unit={p.month} aside={p.anHour(hour)} />
      ) : (
        <p className="faint">{w.noPrice}</p>
      )}
      <Facts
        rows={[
          ...(count > 0 ? [[w.creates, list(names, c.andMore)] as const] : []),
          ...costs.map((cost) => [words(cost), money(cost.monthly, currency)] as const),
          ...(count > 1 && costs.length > 0 ? [[w.times(count), `× ${count}`] as const] : []),
        ]}
      />
      <Button type="submit" look="primary" wide isBusy={isBusy} reason={reason}>
        {w.create(count)}
      </Button>
      {failed && (
        <FailureNote
          cause={unsaid(toFailure(failed.cause), drawnFields)}
          what={failed.isMade ? w.withoutBackups(failed.name) : w.failed(failed.name)}
        />
      )}
      {!draft.ipv4 && !draft.ipv6 && draft.picked.networks.ids.length === 0 && <Note mood="warn">{w.noAddress}</Note>}
      <p className="faint">
        {keys.length > 0 ? w.keysAre(keys.length) : w.passwordShown} {w.ready}
      </p>
    </Card>
  )
}
