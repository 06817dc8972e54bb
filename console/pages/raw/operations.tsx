/** All operations of the API, by section; each leads to the page on which it can be called. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type OperationId, operationIds, operationOf } from '../../api/operations.ts'
import { Card, List } from '../../ui/card.tsx'
import { FilterBox } from '../../ui/filter-box.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page.tsx'
import { ListFrame, Tools } from '../../ui/table.tsx'
import { number } from '../../words/format.ts'
import { raw as w } from '../../words/raw.ts'
import { descriptionOf } from './descriptions.ts'
import styles from './raw.module.css'

const here = '/projects/$project/raw'

export function OperationsPage() {
  const { q = '' } = useSearch({ from: here })
  const navigate = useNavigate({ from: here })
  const sections = useMemo(() => Map.groupBy(fitting(q), (id) => descriptionOf(id).section), [q])
  return (
    <>
      <PageHead title={w.title} count={number(operationIds.length)} />
      <p className="dim">{w.text}</p>
      <ListFrame>
        <Tools>
          <FilterBox
            label={w.filter}
            hint={w.filterHint}
            value={q}
            onChange={(text) => void navigate({ search: text ? { q: text } : {}, replace: true })}
          />
        </Tools>
        {sections.size === 0 && <p className="dim">{w.nothing}</p>}
        <div className="stack-l">
          {/* What the contract says is English in every language of the console. */}
          {[...sections].map(([section, ids]) => (
            <Card key={section} title={<span lang="en">{section}</span>}>
              <List>
                {ids.map((id) => (
                  <Operation key={id} id={id} />
                ))}
              </List>
            </Card>
          ))}
        </div>
      </ListFrame>
    </>
  )
}

function fitting(text: string): readonly OperationId[] {
  const parts = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (parts.length === 0) return operationIds
  return operationIds.filter((id) => {
    const { method, path, base } = operationOf(id)
    const all = `${id} ${method} ${base}${path} ${descriptionOf(id).summary}`.toLowerCase()
    return parts.every((part) => all.includes(part))
  })
}

function Operation({ id }: { readonly id: OperationId }) {
  const { method, path, base } = operationOf(id)
  return (
    <li className={styles.operation}>
      <Link lang="en" to="/projects/$project/raw/$operation" params={{ operation: id }}>
        {descriptionOf(id).summary}
      </Link>
      <span className="mono dim">
        {method} {base}
        {path}
      </span>
    </li>
  )
}
