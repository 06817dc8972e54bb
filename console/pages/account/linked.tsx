/** Identities at the identity provider that sign one in, and linking one. The provider asks for it on a page of its own. */
import { apiOf } from '../../api/api.ts'
import { Button } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { account } from '../../words/account.ts'
import { type Way, WayRow } from './way-row.tsx'

const w = account.security
const api = apiOf(undefined)

interface LinkedProps {
  readonly linked: readonly Way[]
  /** The host of the provider; null without one. */
  readonly provider: string | null
  readonly menu: (way: Way) => readonly MenuEntry[]
}

export function LinkedCard({ linked, provider, menu }: LinkedProps) {
  const submit = useSubmit()
  const link = () => submit.run(async () => window.location.assign((await api.call('people_linkIdentity', {})).url))
  return (
    <Card
      title={w.linked}
      footer={
        provider !== null && (
          <Button icon="link" isBusy={submit.isBusy} onClick={() => void link()}>
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
      {submit.cause !== undefined && <FailureNote cause={submit.cause} />}
    </Card>
  )
}
