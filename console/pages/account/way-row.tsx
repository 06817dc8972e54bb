/** A way to sign in, as a row of a list. */
import type { ReplyFor } from '../../api/operations.ts'
import { DotsMenu } from '../../ui/menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { account } from '../../words/account.ts'
import { common as c } from '../../words/common.ts'
import { ago } from '../../words/format.ts'

const w = account.security

export type Way = ReplyFor<'people_credentials'>['credentials'][number]

export function WayRow({
  way,
  name = nameOf(way),
  aside,
  menu,
}: {
  readonly way: Way
  readonly name?: string
  readonly aside?: string
  readonly menu: (way: Way) => readonly MenuEntry[]
}) {
  const used = way.last_used === null ? w.neverUsed : w.lastUsed(ago(way.last_used))
  return (
    <li>
      <span>
        {name}
        <small>{[aside, w.added(ago(way.created)), used].filter(Boolean).join(' · ')}</small>
      </span>
      <span className="end">
        <DotsMenu label={c.actionsFor(name)} entries={() => menu(way)} />
      </span>
    </li>
  )
}

/** The name of a way to sign in. */
export function nameOf({ kind, name }: Way): string {
  if (kind === 'password') return w.password
  if (kind === 'totp') return w.codes
  return name || w.oidc
}
