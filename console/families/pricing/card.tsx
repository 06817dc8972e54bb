/** The prices that one asks about first. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { publicBase } from '../../../src/kernel/contract/bases.ts'
import { useApi } from '../../api/api.ts'
import { prices } from '../../generated/prices.ts'
import { money } from '../../lib/money.ts'
import { ButtonAnchor } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { number } from '../../words/format.ts'
import { language } from '../../words/words.ts'
import { type Priced, terabyteOf } from './lines.ts'
import { pricing as w } from './words.ts'

const firstPrices = Object.values<Priced<never>>(prices)
  .flatMap(({ firstPrice }) => firstPrice ?? [])
  .sort((one, other) => one.place - other.place)

/** Shows the monthly prices of the things that one asks about first. */
export function PriceCard() {
  const api = useApi()
  const { data } = useSuspenseQuery(api.query('pricing_get', {}))
  const { currency, server_backup } = data.pricing
  const traffic = terabyteOf(data.pricing)
  const rows = [
    ...firstPrices.map(({ label, amountOf, digits }) => {
      const amount = amountOf(data.pricing)
      return [label[language], amount && money(amount, currency, digits)] as const
    }),
    [w.rows.backup, `${number(Number(server_backup.percentage))} %`],
    [w.rows.traffic, traffic && money(traffic, currency)],
  ] as const
  return (
    <Card title={w.title} padded footer={<ButtonAnchor href={`${publicBase}/pricing`}>{w.all}</ButtonAnchor>}>
      <p className="dim">{w.text}</p>
      <Facts rows={rows.filter(([, value]) => value !== undefined)} />
    </Card>
  )
}
