/** The networks of a rule as chips, with a field that takes one or many at once. */
import { type ClipboardEvent, type KeyboardEvent, useState } from 'react'
import { cx } from '../../ui/cx.ts'
import diff from '../../ui/diff.module.css'
import { Icon } from '../../ui/icon.tsx'
import { Tag, Tags } from '../../ui/tag.tsx'
import { readNetworks, withNetworks } from './draft.ts'
import { internet } from './rule.ts'
import styles from './rules.module.css'
import { firewalls as w } from './words.ts'

interface Chip {
  readonly text: string
  readonly networks: readonly string[]
  readonly isInternet: boolean
  readonly isWrong: boolean
}

/** Both of all addresses are one chip. */
function chipsOf(networks: readonly string[], wrong: ReadonlySet<number>): readonly Chip[] {
  const isBoth = internet.every((all) => networks.includes(all))
  const chips = networks.map((network, index): Chip => {
    const isAll = internet.some((all) => all === network)
    const text = isAll ? `${w.internet} ${network.includes(':') ? 'IPv6' : 'IPv4'}` : network
    return { text, networks: [network], isInternet: isAll, isWrong: wrong.has(index) }
  })
  if (!isBoth) return chips
  const whole = { text: w.internet, networks: internet, isInternet: true, isWrong: false }
  return [whole, ...chips.filter(({ isInternet }) => !isInternet)]
}

interface SourcesProps {
  readonly label: string
  readonly networks: readonly string[]
  readonly wrong?: ReadonlySet<number> | undefined
  readonly listId: string
  readonly describedBy?: string | undefined
  readonly reason?: string | undefined
  readonly onChange: (networks: readonly string[]) => void
}

const nothingWrong: ReadonlySet<number> = new Set()

export function SourcesCell({
  label,
  networks,
  wrong = nothingWrong,
  listId,
  describedBy,
  reason,
  onChange,
}: SourcesProps) {
  const [draft, setDraft] = useState('')
  const add = (text: string) => {
    const more = readNetworks(text)
    setDraft('')
    if (more.length > 0) onChange(withNetworks(networks, more))
  }
  const onKey = (event: KeyboardEvent) => {
    if (['Enter', ',', ' ', ';'].includes(event.key) && draft.trim() !== '') {
      event.preventDefault()
      event.stopPropagation()
      add(draft)
    } else if (event.key === 'Backspace' && draft === '' && networks.length > 0) {
      event.preventDefault()
      const last = chipsOf(networks, nothingWrong).at(-1)
      onChange(networks.filter((network) => !last?.networks.includes(network)))
    }
  }
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text')
    if (readNetworks(text).length < 2) return
    event.preventDefault()
    add(text)
  }
  return (
    <Tags>
      <Chips networks={networks} wrong={wrong} onChange={reason === undefined ? onChange : undefined} />
      {reason === undefined && (
        <input
          className={cx(diff.cell, 'mono', styles.network)}
          aria-label={label}
          aria-describedby={describedBy}
          aria-invalid={describedBy !== undefined || undefined}
          data-column="networks"
          list={listId}
          autoComplete="off"
          spellCheck={false}
          placeholder={networks.length === 0 ? w.networkHint : '+'}
          value={draft}
          onChange={({ target }) => setDraft(target.value)}
          onKeyDown={onKey}
          onPaste={onPaste}
          onBlur={() => add(draft)}
        />
      )}
    </Tags>
  )
}

interface ChipsProps {
  readonly networks: readonly string[]
  readonly wrong?: ReadonlySet<number>
  readonly onChange?: ((networks: readonly string[]) => void) | undefined
}

export function Chips({ networks, wrong = nothingWrong, onChange }: ChipsProps) {
  return chipsOf(networks, wrong).map((chip) => (
    <span key={chip.text} className={cx(styles.chip, chip.isWrong && styles.wrong)}>
      <Tag
        tone={chip.isInternet ? 'open' : undefined}
        name={chip.text}
        onRemove={onChange && (() => onChange(networks.filter((network) => !chip.networks.includes(network))))}
      >
        {chip.isInternet && <Icon name="internet" />}
        {chip.text}
      </Tag>
    </span>
  ))
}
