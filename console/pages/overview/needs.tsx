/**
 * The needs of a Project: a line and a list. All that can fail is asked for its state; loaded after the page,
 * as it has the words of many families.
 */

import { ButtonLink } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { Sign } from '../../ui/state.tsx'
import { overview as w } from '../../words/overview.ts'
import { useNeeds } from './states.ts'

/** More than these are only counted. */
const mostShown = 20

/** `ending` is how many certificates end in the days that are shown. */
export function NeedsLine({ ending }: { readonly ending: number }) {
  const { needs, isWhole } = useNeeds()
  if (needs.length === 0 && !isWhole) return null
  return [
    needs.length > 0 && w.needs(needs.length),
    ending > 0 && w.ends(ending),
    needs.length === 0 && ending === 0 && w.well,
  ]
    .filter(Boolean)
    .join(' ')
}

export function NeedsCard() {
  const { needs } = useNeeds()
  if (needs.length === 0) return null
  return (
    <Card title={w.needsYou} aside={<span className="num dim">{needs.length}</span>}>
      <List>
        {needs.slice(0, mostShown).map(({ key, mood, title, text, link }) => (
          <li key={key}>
            <Sign mood={mood} />
            <span>
              <b>{title}</b>
              <small>{text}</small>
            </span>
            <span className="end">
              <ButtonLink small {...link}>
                {w.look}
              </ButtonLink>
            </span>
          </li>
        ))}
        {needs.length > mostShown && <li className="faint">{w.moreNeeds(needs.length - mostShown)}</li>}
      </List>
    </Card>
  )
}
