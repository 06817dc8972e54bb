/** A chain of certificates as a list: each with its issuer, its end and its key. */
import { List } from '../../ui/card.tsx'
import { Icon } from '../../ui/icon.tsx'
import { date } from '../../words/format.ts'
import { certificates as w } from './words.ts'
import type { ChainLink } from './x509.ts'

export function ChainList({ links }: { readonly links: readonly ChainLink[] }) {
  return (
    <List>
      {links.map(({ subject, issuer, names, until, key }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one chain, in their order
        <li key={index}>
          <Icon name={index === 0 ? 'cert' : 'link'} />
          <span>
            {subject || names[0] || w.noName}
            <small>{subject === issuer ? w.selfSigned : w.issuedBy(issuer)}</small>
          </span>
          <span className="end right">
            {w.untilDate(date(until, { day: 'numeric', month: 'short', year: 'numeric' }))}
            <small>{key ?? w.otherKey}</small>
          </span>
        </li>
      ))}
    </List>
  )
}
