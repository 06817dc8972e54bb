/** Cells that many lists have: the name with its link, labels, age. */
import type { ReactNode } from 'react'
import { linkTo } from '../../families.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link, type Target } from '../../ui/link.tsx'
import { type Column, nameClass } from '../../ui/table.tsx'
import { Labels } from '../../ui/tag.tsx'
import { Age } from '../../ui/time.tsx'
import { common as c } from '../../words/common.ts'
import { resources as w } from '../../words/resources.ts'

interface NameProps {
  readonly name: ReactNode
  readonly link: Target
  readonly isProtected?: boolean
  /** Below the name. */
  readonly small?: ReactNode
}

/** The name of a resource, which leads to its page. */
export function NameCell({ name, link, isProtected = false, small }: NameProps) {
  return (
    <>
      <span className="row">
        <Link {...link} className={nameClass}>
          {name}
        </Link>
        {isProtected && <Protected />}
      </span>
      {small && <small>{small}</small>}
    </>
  )
}

export function Protected() {
  return (
    <span className="row faint" title={w.protected}>
      <Icon name="lock" />
      <span className="vh">{c.protected}</span>
    </span>
  )
}

/** A link to a server. */
export function ServerLink({ id, name }: { readonly id: number; readonly name: string | undefined }) {
  return <Link {...linkTo('servers', 'one', { id })}>{name ?? `#${id}`}</Link>
}

interface Common {
  readonly labels: Readonly<Record<string, string>>
  readonly created: string
}

export function labelsColumn<Row extends Common>(): Column<Row> {
  return { key: 'labels', label: c.labels, rank: 2, cell: ({ labels }) => <Labels labels={labels} /> }
}

export function ageColumn<Row extends Common>(): Column<Row> {
  return {
    key: 'created',
    label: w.age,
    isEnd: true,
    isNarrow: true,
    rank: 2,
    sort: ({ created }) => -Date.parse(created),
    cell: ({ created }) => (
      <span className="dim">
        <Age since={created} />
      </span>
    ),
  }
}
