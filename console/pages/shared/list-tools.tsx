/** The tools for a list as a whole: its columns, and the export of its rows. Loaded after the list. */
import { type ReactNode, useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Check } from '../../ui/check.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { saveFile } from '../../ui/save-file.ts'
import type { Column } from '../../ui/table.tsx'
import { common as w } from '../../words/common.ts'
import { hideColumns, useHiddenColumns } from './columns.ts'
import { csvOf } from './csv.ts'

/** The heads of columns, without anything of their rows. */
type Heads = readonly Pick<Column<never>, 'key' | 'label' | 'card'>[]

interface ListToolsProps {
  readonly name: string
  readonly columns: Heads
  /** The rows that fit the filter, of all pages; undefined while some are not here. */
  readonly rows: readonly object[] | undefined
  readonly children?: ReactNode
}

export function ListTools({ name, columns, rows, children }: ListToolsProps) {
  const [isOpen, open] = useState(false)
  const file = `${name.replaceAll('_', '-')}.csv`
  return (
    <span className="row">
      {children}
      <IconButton
        icon="download"
        label={w.table.export}
        aria-disabled={!rows}
        onClick={() => rows && saveFile(file, csvOf(rows), 'text/csv')}
      />
      <IconButton icon="columns" label={w.table.columns} aria-haspopup="dialog" onClick={() => open(true)} />
      {isOpen && <ColumnsDialog name={name} columns={columns} onClose={() => open(false)} />}
    </span>
  )
}

interface ColumnsDialogProps {
  readonly name: string
  readonly columns: Heads
  readonly onClose: () => void
}

function ColumnsDialog({ name, columns, onClose }: ColumnsDialogProps) {
  const hidden = useHiddenColumns(name)
  const show = (key: string, on: boolean) =>
    hideColumns(name, on ? hidden.filter((one) => one !== key) : [...hidden, key])
  return (
    <Dialog
      title={w.table.columns}
      text={w.table.columnsText}
      onClose={onClose}
      footer={
        <>
          <Button look="quiet" icon="undo" onClick={() => hideColumns(name, [])}>
            {w.table.allColumns}
          </Button>
          <span className="end">
            <Button look="primary" onClick={onClose}>
              {w.close}
            </Button>
          </span>
        </>
      }
    >
      <fieldset className="stack" aria-label={w.table.columns}>
        {columns.map(({ key, label, card }) => (
          <Check
            key={key}
            checked={card === 'key' || !hidden.includes(key)}
            disabled={card === 'key'}
            onChange={(on) => show(key, on)}
          >
            {label}
          </Check>
        ))}
      </fieldset>
    </Dialog>
  )
}
