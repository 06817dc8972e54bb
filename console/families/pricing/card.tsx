/** The prices that one asks about first. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { publicBase } from '../../../src/kernel/contract/bases.ts'
import { useApi } from '../../api/api.ts'
import { money } from '../../lib/money.ts'
import { ButtonAnchor } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { number } from '../../words/format.ts'
import { overviewOf } from './overview.ts'
import { pricing as w } from './words.ts'

/** Shows the monthly prices of the things that one asks about first. */
export function PriceCard() {
  const api = useApi()
  const { data } = useSuspenseQuery(api.query('pricing_get', {}))
  const { currency, server_backup } = data.pricing
  const known = overviewOf(data.pricing)
  const row = (what: keyof typeof known, digits?: number) => {
    const amount = known[what]
    return [w.rows[what], amount && money(amount, currency, digits)] as const
  }
  const rows = [
    row('server'),
    row('primary_ip'),
    row('floating_ip'),
    row('image', 4),
    row('volume', 4),
    [w.rows.backup, `${number(Number(server_backup.percentage))} %`],
    row('traffic'),
  ] as const
  return (
    <Card title={w.title} padded footer={<ButtonAnchor href={`${publicBase}/pricing`}>{w.all}</ButtonAnchor>}>
      <p className="dim">{w.text}</p>
      <Facts rows={rows.filter(([, value]) => value !== undefined)} />
    </Card>
  )
}
