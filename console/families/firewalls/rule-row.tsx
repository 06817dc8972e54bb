/** One rule of the editor. */
import { type KeyboardEvent, useId } from 'react'
import { protocols } from '../../../src/families/firewalls/domain.ts'
import { IconButton } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import diff from '../../ui/diff.module.css'
import fields from '../../ui/field.module.css'
import { Icon } from '../../ui/icon.tsx'
import { DotsMenu } from '../../ui/menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { Said } from '../../ui/said.tsx'
import { Sign } from '../../ui/state.tsx'
import table from '../../ui/table.module.css'
import { Tags } from '../../ui/tag.tsx'
import { type Change, type Draft, hasPorts, type RuleProblems } from './draft.ts'
import styles from './rules.module.css'
import { Chips, SourcesCell } from './sources-cell.tsx'
import { firewalls as w } from './words.ts'

interface RowActs {
  readonly edit: (part: Partial<Draft>) => void
  readonly duplicate: () => void
  readonly remove: () => void
  readonly restore: () => void
  readonly revert: () => void
  readonly move: (by: 1 | -1) => void
}

interface RuleRowProps {
  readonly draft: Draft
  /** Among the rules of its direction, from 1. */
  readonly place: number
  readonly change: Change | undefined
  readonly problems: RuleProblems | undefined
  readonly listId: string
  readonly reason: string | undefined
  readonly acts: RowActs
}

const signs = { add: '+', mod: '~', del: '−' } as const

export function RuleRow({ draft, place, change, problems, listId, reason, acts }: RuleRowProps) {
  const id = useId()
  const { isRemoved } = draft
  const name = w.ruleName(String(place))
  const problemId = problems && `${id}-problem`
  const onKey = (event: KeyboardEvent<HTMLElement>) => onRowKey(event, acts)
  const sign = change && (
    <b role="img" aria-label={w.changed[change.kind]}>
      {signs[change.kind]}
    </b>
  )
  return (
    <>
      <tr
        className={cx(change && diff[change.kind], problems && table['is-bad'])}
        data-rule={draft.key}
        onKeyDown={isRemoved || reason !== undefined ? undefined : onKey}
      >
        <td className={cx(table.pick, 'faint')}>{sign ?? (reason === undefined && <Icon name="grip" />)}</td>
        {isRemoved || reason !== undefined ? (
          <FixedCells draft={draft} />
        ) : (
          <EditedCells draft={draft} name={name} change={change} {...{ problems, problemId, listId, acts }} />
        )}
        <td className={cx(table['menu-cell'], styles.tools)}>
          {isRemoved ? (
            <IconButton icon="undo" small label={w.restore(name)} onClick={acts.restore} />
          ) : (
            reason === undefined && <DotsMenu label={w.actsFor(name)} entries={() => menuOf(change, acts)} />
          )}
        </td>
      </tr>
      {problems && (
        <tr className={table.why}>
          <td className={styles.said} />
          <td colSpan={5} id={problemId} className={styles.said}>
            <span className={fields.error}>
              <Sign mood="bad" />
              {problems.port.length > 0 && (
                <span>
                  {w.port}: <Said texts={problems.port} between=", " />
                </span>
              )}
              {problems.networks.length > 0 && (
                <span>
                  {draft.direction === 'in' ? w.from : w.toward}: <Said texts={problems.networks} between=", " />
                </span>
              )}
            </span>
          </td>
        </tr>
      )}
    </>
  )
}

function menuOf(change: Change | undefined, acts: RowActs): readonly MenuEntry[] {
  return [
    { key: 'up', label: w.moveUp, icon: 'up', keys: 'Alt+↑', onSelect: () => acts.move(-1) },
    { key: 'down', label: w.moveDown, icon: 'down', keys: 'Alt+↓', onSelect: () => acts.move(1) },
    { key: 'copy', label: w.duplicate, icon: 'copy', keys: 'Ctrl+D', onSelect: acts.duplicate },
    ...(change?.kind === 'mod'
      ? [{ key: 'revert', label: w.revert, icon: 'undo' as const, onSelect: acts.revert }]
      : []),
    'line',
    { key: 'remove', label: w.removeRule, icon: 'trash', isBad: true, keys: 'Alt+Del', onSelect: acts.remove },
  ]
}

/** Alt and an arrow move the rule, arrows alone go to the same column of the next one. */
function onRowKey(event: KeyboardEvent<HTMLElement>, acts: RowActs): void {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined
  const isSelect = (event.target as Element).matches('select')
  if (event.altKey && by) acts.move(by)
  else if (event.altKey && event.key === 'Delete') acts.remove()
  else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'd') acts.duplicate()
  else if (by && !event.shiftKey && !event.ctrlKey && !isSelect) {
    if (!goTo(event.target as HTMLElement, by)) return
  } else if (event.key === 'Enter' && (event.target as Element).matches('input')) goTo(event.target as HTMLElement, 1)
  else return
  event.preventDefault()
}

/** Goes to the same column of a neighbour. */
function goTo(from: HTMLElement, by: 1 | -1): boolean {
  const { column } = from.dataset
  if (!column) return false
  const cells = [...(from.closest('table')?.querySelectorAll<HTMLElement>(`[data-column=${column}]`) ?? [])]
  const next = cells[cells.indexOf(from) + by]
  next?.focus()
  return next !== undefined
}

function FixedCells({ draft: { protocol, port, networks, description } }: { readonly draft: Draft }) {
  return (
    <>
      <td className={styles.protocol}>{protocol}</td>
      <td className={cx(styles.port, 'mono')}>{port || '–'}</td>
      <td className={styles.from}>
        <Tags>
          <Chips networks={networks} />
        </Tags>
      </td>
      <td className={styles.about}>{description}</td>
    </>
  )
}

interface EditedProps {
  readonly draft: Draft
  readonly name: string
  readonly change: Change | undefined
  readonly problems: RuleProblems | undefined
  readonly problemId: string | undefined
  readonly listId: string
  readonly acts: RowActs
}

function EditedCells({ draft, name, change, problems, problemId, listId, acts }: EditedProps) {
  const { protocol, port, networks, description } = draft
  const before = change?.kind === 'mod' ? change.before : undefined
  const isPortWrong = (problems?.port.length ?? 0) > 0
  const areNetworksWrong = (problems?.networks.length ?? 0) > 0
  return (
    <>
      <td className={styles.protocol}>
        <select
          className={diff.cell}
          aria-label={w.labelOf(w.protocol, name)}
          data-column="protocol"
          value={protocol}
          onChange={({ target }) => acts.edit({ protocol: target.value as Draft['protocol'] })}
        >
          {protocols.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        {before && before.protocol !== protocol && <small>{w.was(before.protocol)}</small>}
      </td>
      <td className={cx(styles.port, 'mono')}>
        {hasPorts(protocol) ? (
          <input
            className={cx(diff.cell, 'mono')}
            aria-label={w.labelOf(w.port, name)}
            aria-invalid={isPortWrong || undefined}
            aria-describedby={isPortWrong ? problemId : undefined}
            data-column="port"
            autoComplete="off"
            spellCheck={false}
            maxLength={11}
            placeholder={w.portHint}
            value={port}
            onChange={({ target }) => acts.edit({ port: target.value })}
          />
        ) : (
          <span className="faint">–</span>
        )}
        {before && before.port !== port && <small>{w.was(before.port || '–')}</small>}
      </td>
      <td className={styles.from}>
        <SourcesCell
          label={w.labelOf(draft.direction === 'in' ? w.from : w.toward, name)}
          networks={networks}
          wrong={problems?.wrongNetworks}
          listId={listId}
          describedBy={areNetworksWrong ? problemId : undefined}
          onChange={(next) => acts.edit({ networks: next })}
        />
        {before && before.networks.join() !== networks.join() && <small>{w.was(before.networks.join(', '))}</small>}
      </td>
      <td className={styles.about}>
        <input
          className={diff.cell}
          aria-label={w.labelOf(w.description, name)}
          data-column="description"
          autoComplete="off"
          maxLength={255}
          placeholder={w.description}
          value={description}
          onChange={({ target }) => acts.edit({ description: target.value })}
        />
      </td>
    </>
  )
}
