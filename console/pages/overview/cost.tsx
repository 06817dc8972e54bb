/** The monthly cost of a Project. Loaded after the rest of the overview. */
import { sum } from '../../../src/protocols/net/decimal.ts'
import { money } from '../../lib/money.ts'
import { Card, Facts, Price } from '../../ui/card.tsx'
import { cx } from '../../ui/cx.ts'
import picture from '../../ui/picture.module.css'
import { percent } from '../../words/format.ts'
import { overview as w } from '../../words/overview.ts'
import { prices as p } from '../../words/prices.ts'
import { useCosts } from './costs.ts'

export function CostCard() {
  const known = useCosts()
  if (!known) return null
  const { currency, parts: costs } = known
  const total = sum(costs.map(({ amount }) => amount))
  // Parts of a picture, of which nothing is added up.
  const shareOf = (amount: string) => (Number(amount) / Number(total)) * 100
  const shares = costs.map(({ title, amount }) => `${title} ${percent(Math.round(shareOf(amount)))}`)
  return (
    <Card title={w.cost} padded>
      <Price amount={money(total, currency)} unit={p.month} aside={w.estimate} />
      <Facts
        rows={costs.map(({ what, title, amount }, index) => [
          <span key={what} className="row">
            <Key index={index} />
            {title}
          </span>,
          money(amount, currency),
        ])}
      />
      <svg className={cx(picture.pic, picture.costbar)} role="img" aria-label={w.shares(shares.join(', '))} height="8">
        {costs.map(({ what, amount }, index) => {
          const before = sum(costs.slice(0, index).map((one) => one.amount))
          return (
            <rect
              key={what}
              x={`${shareOf(before)}%`}
              width={`${Math.max(0, shareOf(amount) - 0.5)}%`}
              height="8"
              className={picture[`q${index}`]}
            />
          )
        })}
      </svg>
    </Card>
  )
}

function Key({ index }: { readonly index: number }) {
  return (
    <svg className={cx(picture.pic, picture.key)} aria-hidden="true">
      <rect y="5" width="8" height="8" rx="2" className={picture[`q${index}`]} />
    </svg>
  )
}
