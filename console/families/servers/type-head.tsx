/** The head of a table of server types, of which one is chosen. */
import { cx } from '../../ui/cx.ts'
import table from '../../ui/table.module.css'
import { newServer } from './new.words.ts'

const { typeColumns: t } = newServer

type TypeColumn = 'chip' | 'cores' | 'memory' | 'disk' | 'hour' | 'month'

/** Columns that are not there on narrow screens. */
const wide: readonly TypeColumn[] = ['chip', 'disk', 'hour']

export function TypeHead({ columns }: { readonly columns: readonly TypeColumn[] }) {
  return (
    <thead>
      <tr>
        <th scope="col" className={table.pick}>
          <span className="vh">{t.choose}</span>
        </th>
        <th scope="col">{t.type}</th>
        {columns.map((column) => (
          <th
            key={column}
            scope="col"
            className={cx(column !== 'chip' && 'right', wide.includes(column) && 'not-narrow')}
          >
            {t[column]}
          </th>
        ))}
      </tr>
    </thead>
  )
}
