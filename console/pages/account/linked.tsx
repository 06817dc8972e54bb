/** Identities at the identity provider that sign one in, and linking one. The provider asks for it on a page of its own. */
import { useState } from 'react'
import { askForProof } from '../../api/proof.ts'
import { Button } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { account } from '../../words/en/account.ts'
import { wordsOf } from '../../words/words.ts'
import { type Way, WayRow } from './security.tsx'

const w = wordsOf('account', account).security

/** A proof that ends sooner than this may be over when the server asks for it. */
const leastMs = 30_000
const start = '/console/login/oidc?link&next=/console/account/security'

interface LinkedProps {
  readonly linked: readonly Way[]
  /** The host of the provider; null without one. */
  readonly provider: string | null
  readonly elevatedUntil: string | null
  readonly menu: (way: Way) => readonly MenuEntry[]
}

export function LinkedCard({ linked, provider, elevatedUntil, menu }: LinkedProps) {
  const [isGoing, go] = useState(false)
  const link = async () => {
    const isFresh = elevatedUntil !== null && Date.parse(elevatedUntil) > Date.now() + leastMs
    if (!isFresh && !(await askForProof())) return
    go(true)
    window.location.assign(start)
  }
  return (
    <Card
      title={w.linked}
      footer={
        provider !== null && (
          <Button icon="link" isBusy={isGoing} onClick={() => void link()}>
            {w.link(provider)}
          </Button>
        )
      }
    >
      <List>
        {linked.map((way) => (
          <WayRow key={way.id} way={way} name={way.name || (provider ?? w.oidc)} menu={menu} />
        ))}
        {linked.length === 0 && <li className="dim">{w.noLinked}</li>}
      </List>
    </Card>
  )
}
