/** The parts of a form of a new resource that has a type: which one, and what it costs. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { type Places, ratesIn } from '../../families/pricing/lines.ts'
import { aMonth, money } from '../../lib/money.ts'
import { Price } from '../../ui/card.tsx'
import { Tiles } from '../../ui/tile.tsx'
import { prices as p } from '../../words/prices.ts'

interface Type {
  readonly name: string
  readonly prices: Places
}

const useCurrency = () => useSuspenseQuery(useApi().query('pricing_get', {})).data.pricing.currency

interface TypeTilesProps<One extends Type> {
  readonly types: readonly One[]
  readonly location: string
  readonly value: string
  readonly titleOf?: (type: One) => string
  readonly limitsOf: (type: One) => string
  readonly onChange: (name: string) => void
}

/** A tile for each type, with its price in the location; one that has none there cannot be chosen. */
export function TypeTiles<One extends Type>(props: TypeTilesProps<One>) {
  const { types, location, value, titleOf = ({ name }) => name, limitsOf, onChange } = props
  const currency = useCurrency()
  const option = (type: One) => {
    const cost = ratesIn(type.prices, location)
    return {
      value: type.name,
      title: titleOf(type),
      text: (
        <>
          {cost ? aMonth(cost.monthly, currency) : p.notThere}
          <br />
          {limitsOf(type)}
        </>
      ),
      isOff: cost === undefined,
    }
  }
  return <Tiles name="type" value={value} options={types.map(option)} onChange={onChange} />
}

/** What one of a type costs in a location. */
export function TypePrice({ type, location }: { readonly type: Type | undefined; readonly location: string }) {
  const currency = useCurrency()
  const cost = type && ratesIn(type.prices, location)
  if (!cost) return <p className="dim">{p.none}</p>
  return (
    <Price amount={money(cost.monthly, currency)} unit={p.month} aside={p.anHour(money(cost.hourly, currency, 4))} />
  )
}
