/** What can be done with any resource: rename, labels, protection, copying its id, deletion. */
import { type ReactNode, useState } from 'react'
import type { OperationId } from '../../api/operations.ts'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { FailureNote, wordsFor } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { toast } from '../../ui/toasts.ts'
import { common } from '../../words/en/common.ts'
import { resources as english } from '../../words/en/resources.ts'
import { wordsOf } from '../../words/words.ts'
import { useSubmission } from './submit.ts'

const w = wordsOf('resources', english)
const c = wordsOf('common', common)

export interface Resource {
  readonly id: number
  readonly name: string
  readonly labels: LabelMap
  readonly protection?: { readonly delete: boolean } | undefined
}

/** The calls of a family; each outdates what is shown before it ends. */
export interface ResourceCalls<Row extends Resource> {
  readonly operations: { readonly update: OperationId; readonly remove: OperationId; readonly protect?: OperationId }
  /** Absent where names cannot be changed. */
  readonly rename?: (row: Row, name: string) => Promise<unknown>
  readonly relabel: (row: Row, labels: LabelMap) => Promise<unknown>
  readonly protect?: (row: Row, isProtected: boolean) => Promise<unknown>
  readonly remove: (row: Row) => Promise<unknown>
  readonly words: {
    /** What goes with it. */
    readonly deleteText: (row: Row) => string
    readonly deleteAct: string
    /** Whether its name has to be typed, because data is lost. */
    readonly losesData?: boolean
  }
  /** Why it cannot be deleted in its present state. */
  readonly deleteReason?: (row: Row) => string | undefined
}

interface Asked<Row> {
  readonly kind: 'rename' | 'labels' | 'delete'
  readonly row: Row
}

export interface ResourceActs<Row> {
  /** The menu of one resource; `own` comes first. */
  menu(row: Row, own?: readonly MenuEntry[]): readonly MenuEntry[]
  ask(asked: Asked<Row>): void
  readonly dialogs: ReactNode
}

/** `onDeleted` is called when a resource is gone, such as to leave its page. */
export function useResourceActs<Row extends Resource>(
  calls: ResourceCalls<Row>,
  onDeleted?: () => void,
): ResourceActs<Row> {
  const [asked, ask] = useState<Asked<Row>>()
  const mayChange = useReason(calls.operations.update)
  const mayProtect = useReason(calls.operations.protect ?? calls.operations.update)
  const mayRemove = useReason(calls.operations.remove)
  const close = () => ask(undefined)
  const menu = (row: Row, own: readonly MenuEntry[] = []): readonly MenuEntry[] => [
    ...own,
    ...(own.length > 0 ? (['line'] as const) : []),
    ...(calls.rename
      ? [
          {
            key: 'rename',
            label: w.rename,
            reason: mayChange,
            onSelect: () => ask({ kind: 'rename', row }),
          } satisfies MenuEntry,
        ]
      : []),
    { key: 'labels', label: c.labels, icon: 'tag', reason: mayChange, onSelect: () => ask({ kind: 'labels', row }) },
    ...(calls.protect ? [protectEntry(row, calls.protect, mayProtect)] : []),
    {
      key: 'copy',
      label: c.copyId,
      icon: 'copy',
      onSelect: () => void navigator.clipboard?.writeText(String(row.id)),
    },
    'line',
    {
      key: 'delete',
      label: c.delete,
      icon: 'trash',
      isBad: true,
      reason: mayRemove ?? (row.protection?.delete ? w.isProtected : undefined) ?? calls.deleteReason?.(row),
      onSelect: () => ask({ kind: 'delete', row }),
    },
  ]
  const dialogs = asked && (
    <>
      {asked.kind === 'rename' && calls.rename && (
        <RenameDialog row={asked.row} rename={calls.rename} onClose={close} />
      )}
      {asked.kind === 'labels' && <RelabelDialog row={asked.row} relabel={calls.relabel} onClose={close} />}
      {asked.kind === 'delete' && (
        <Confirm
          title={w.deleteTitle(asked.row.name)}
          text={calls.words.deleteText(asked.row)}
          act={calls.words.deleteAct}
          word={calls.words.losesData ? asked.row.name : undefined}
          onConfirm={async () => {
            await calls.remove(asked.row)
            onDeleted?.()
          }}
          onClose={close}
        />
      )}
    </>
  )
  return { menu, ask, dialogs }
}

function protectEntry<Row extends Resource>(
  row: Row,
  protect: (row: Row, on: boolean) => Promise<unknown>,
  reason: string | undefined,
): MenuEntry {
  const isOn = row.protection?.delete ?? false
  return {
    key: 'protect',
    label: isOn ? w.unprotect : w.protect,
    icon: 'lock',
    reason,
    onSelect: () => {
      protect(row, !isOn).catch((cause: unknown) =>
        toast({ mood: 'bad', title: w.notChanged(row.name), text: wordsFor(cause) }),
      )
    },
  }
}

interface FormFooterProps {
  readonly onClose: () => void
  readonly act: string
  readonly isBusy: boolean
  readonly isReady?: boolean
}

/** The buttons of a short form. */
export function FormFooter({ onClose, act, isBusy, isReady = true }: FormFooterProps) {
  return (
    <span className="end row">
      <Button onClick={onClose}>{c.cancel}</Button>
      <Button type="submit" look="primary" isBusy={isBusy} disabled={!isReady}>
        {act}
      </Button>
    </span>
  )
}

interface RenameProps<Row> {
  readonly row: Row
  readonly rename: (row: Row, name: string) => Promise<unknown>
  readonly onClose: () => void
}

function RenameDialog<Row extends Resource>({ row, rename, onClose }: RenameProps<Row>) {
  const [name, setName] = useState(row.name)
  const form = useSubmission(async () => {
    await rename(row, name)
    onClose()
  }, ['name', 'description'])
  return (
    <Dialog
      title={w.renameTitle(row.name)}
      onClose={onClose}
      onSubmit={form.send}
      footer={<FormFooter onClose={onClose} act={w.rename} isBusy={form.isBusy} isReady={name !== ''} />}
    >
      <TextField
        label={c.name}
        value={name}
        onChange={setName}
        problems={form.problems('name') ?? form.problems('description')}
      />
      {form.cause !== undefined && <FailureNote cause={form.cause} />}
    </Dialog>
  )
}

interface RelabelProps<Row> {
  readonly row: Row
  readonly relabel: (row: Row, labels: LabelMap) => Promise<unknown>
  readonly onClose: () => void
}

function RelabelDialog<Row extends Resource>({ row, relabel, onClose }: RelabelProps<Row>) {
  const [labels, setLabels] = useState<LabelMap>(row.labels)
  const form = useSubmission(async () => {
    await relabel(row, labels)
    onClose()
  }, ['labels'])
  return (
    <Dialog
      title={`${c.labels}: ${row.name}`}
      onClose={onClose}
      onSubmit={form.send}
      footer={<FormFooter onClose={onClose} act={c.save} isBusy={form.isBusy} />}
    >
      <LabelsField value={labels} onChange={setLabels} problems={form.problems('labels')} />
      {form.cause !== undefined && <FailureNote cause={form.cause} />}
    </Dialog>
  )
}
