/** What will exist and what it costs, beside the form. */
import { Button } from '../../ui/button.tsx'
import { Card, Facts, Price } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { Note } from '../../ui/note.tsx'
import { common } from '../../words/en/common.ts'
import { newServer } from '../../words/en/new-server.ts'
import { list, percent, price } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { type Cost, costsOf, type Draft } from './draft.ts'
import type { Choices } from './new.tsx'

const w = wordsOf('newServer', newServer)
const c = wordsOf('common', common)

interface SummaryProps {
  readonly draft: Draft
  readonly data: Choices
  /** The names of what is still to be created. */
  readonly names: readonly string[]
  readonly isBusy: boolean
  /** Why nothing can be created. */
  readonly reason: string | undefined
  readonly failed: Failed | undefined
}

/** What could not be created, or was, but without what belongs to it. */
export interface Failed {
  readonly name: string
  readonly cause: unknown
  readonly isMade: boolean
}

export function NewSummary({ draft, data, names, isBusy, reason, failed }: SummaryProps) {
  const { pricing, types } = data
  const costs = costsOf(draft, types, pricing)
  const count = names.length
  const sum = (part: 'monthly' | 'hourly') => costs.reduce((total, cost) => total + cost[part], 0) * count
  const money = (amount: number, digits?: number) => price(amount, pricing.currency, digits)
  const words = (cost: Cost) => {
    if (cost.key === 'type') return w.costs.type(draft.type ?? '', draft.location ?? '')
    return cost.key === 'backups'
      ? w.costs.backups(percent(Number(pricing.server_backup.percentage)))
      : w.costs[cost.key]
  }
  return (
    <Card padded>
      {costs.length > 0 ? (
        <Price amount={money(sum('monthly'))} unit={w.month} aside={w.hour(money(sum('hourly'), 4))} />
      ) : (
        <p className="faint">{w.noPrice}</p>
      )}
      <Facts
        rows={[
          ...(count > 0 ? [[w.creates, list(names, c.andMore)] as const] : []),
          ...costs.map((cost) => [words(cost), money(cost.monthly)] as const),
          ...(count > 1 && costs.length > 0 ? [[w.times(count), `× ${count}`] as const] : []),
        ]}
      />
      <Button type="submit" look="primary" wide isBusy={isBusy} reason={reason}>
        {w.create(count)}
      </Button>
      {failed && (
        <FailureNote
          cause={failed.cause}
          what={failed.isMade ? w.withoutBackups(failed.name) : w.failed(failed.name)}
        />
      )}
      {!draft.ipv4 && !draft.ipv6 && draft.networks.length === 0 && <Note mood="warn">{w.noAddress}</Note>}
      <p className="faint">
        {draft.sshKeys.length > 0 ? w.keysAre(draft.sshKeys.length) : w.passwordShown} {w.ready}
      </p>
    </Card>
  )
}
