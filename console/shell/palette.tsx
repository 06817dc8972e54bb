/** Search: pages, resources by name, and what can be done here. */
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { Icon } from '../ui/icon.tsx'
import menu from '../ui/menu.module.css'
import styles from '../ui/palette.module.css'
import { PaletteFrame } from '../ui/palette-frame.tsx'
import { useShortcutText } from '../ui/use-shortcut-text.ts'
import { palette as w } from '../words/palette.ts'
import type { Hit } from './palette-hit.ts'
import { useHits } from './palette-hits.ts'

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const { hits, isKnown } = useHits(text)
  const nothing = isKnown ? w.nothing : w.searching
  const run = (hit: Hit | undefined) => {
    if (!hit || hit.reason !== undefined) return
    onClose()
    hit.act()
  }
  const move = (to: number) => {
    const next = (to + hits.length) % Math.max(1, hits.length)
    setAt(next)
    list.current?.querySelectorAll('[role=option]')[next]?.scrollIntoView({ block: 'nearest' })
  }
  const onKey = (event: KeyboardEvent) => {
    const act = { ArrowDown: () => move(at + 1), ArrowUp: () => move(at - 1), Enter: () => run(hits[at]) }[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
  return (
    <PaletteFrame title={w.title} onClose={onClose}>
      <div className={styles.ask}>
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the dialog is this field
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={hits[at] ? `${id}-${at}` : undefined}
          aria-label={w.title}
          aria-autocomplete="list"
          placeholder={w.placeholder}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setAt(0)
          }}
          onKeyDown={onKey}
        />
        <kbd>Esc</kbd>
      </div>
      <p className="vh" role="status">
        {hits.length === 0 ? nothing : w.count(hits.length)}
      </p>
      <div ref={list} className={styles.hits} id={`${id}-list`} role="listbox" aria-label={w.title}>
        {hits.map((hit, index) => (
          <Option
            key={hit.key}
            id={`${id}-${index}`}
            hit={hit}
            isHere={index === at}
            isFirst={hits[index - 1]?.group !== hit.group}
            onPoint={() => setAt(index)}
            onChoose={() => run(hit)}
          />
        ))}
      </div>
      {hits.length === 0 && <p className={styles.nothing}>{nothing}</p>}
    </PaletteFrame>
  )
}

interface OptionProps {
  readonly id: string
  readonly hit: Hit
  readonly isHere: boolean
  readonly isFirst: boolean
  readonly onPoint: () => void
  readonly onChoose: () => void
}

function Option({ id, hit, isHere, isFirst, onPoint, onChoose }: OptionProps) {
  const keys = useShortcutText(hit.keys)
  return (
    <>
      {isFirst && (
        <p className={styles.group} aria-hidden="true">
          {hit.group}
        </p>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys */}
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={isHere}
        aria-disabled={hit.reason !== undefined || undefined}
        className={menu.option}
        data-on={isHere || undefined}
        onPointerMove={onPoint}
        onClick={onChoose}
      >
        <Icon name={hit.icon} />
        <span>{hit.label}</span>
        {(hit.reason ?? hit.aside) && <small>{hit.reason ?? hit.aside}</small>}
        {keys?.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </div>
    </>
  )
}
