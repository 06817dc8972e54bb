/** Search: pages, resources by name, and what can be done here. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { type ReplyKey, useProjectId } from '../api/api.ts'
import { whoamiQuery } from '../api/session.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import menu from '../ui/menu.module.css'
import styles from '../ui/palette.module.css'
import { PaletteFrame } from '../ui/palette-frame.tsx'
import { useShortcutText } from '../ui/use-shortcut-text.ts'
import { admin } from '../words/en/admin.ts'
import { palette } from '../words/en/palette.ts'
import { shell } from '../words/en/shell.ts'
import { wordsOf } from '../words/words.ts'
import { navigation } from './navigation.ts'
import { paletteActs } from './palette-acts.ts'
import { linksOf } from './resource-links.ts'

const w = wordsOf('palette', palette)
const frame = wordsOf('shell', shell)
const adminPages = Object.entries(wordsOf('admin', admin).tabs)
const mostShown = 40

interface Hit {
  readonly key: string
  readonly group: string
  readonly label: string
  readonly aside?: string | undefined
  readonly icon: IconName
  readonly keys?: string | undefined
  readonly act: () => void
}

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const hits = useHits(text)
  const run = (hit: Hit | undefined) => {
    if (!hit) return
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
        {hits.length === 0 ? w.nothing : w.count(hits.length)}
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
      {hits.length === 0 && <p className={styles.nothing}>{w.nothing}</p>}
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
        className={menu.option}
        data-on={isHere || undefined}
        onPointerMove={onPoint}
        onClick={onChoose}
      >
        <Icon name={hit.icon} />
        <span>{hit.label}</span>
        {hit.aside && <small>{hit.aside}</small>}
        {keys?.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </div>
    </>
  )
}

/** What fits the text: in the order of pages, actions, resources. */
function useHits(text: string): readonly Hit[] {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const project = useProjectId()
  const all = useMemo(() => {
    const params = { project: String(project) }
    const pages = project === undefined ? [] : navigation().flatMap(({ entries }) => entries)
    const { whoami } = cache.getQueryData(whoamiQuery.queryKey) ?? {}
    const ofInstallation = whoami?.operator ? adminPages : []
    const replies = cache
      .getQueryCache()
      .getAll()
      .filter(({ queryKey }) => (queryKey as unknown as ReplyKey)[0] === project)
    const resources = replies.flatMap(({ queryKey, state }) =>
      linksOf((queryKey as unknown as ReplyKey)[1], state.data),
    )
    return [
      ...pages.map(
        ({ to, label, icon, keys }): Hit => ({
          key: to,
          group: w.pages,
          label,
          icon,
          keys,
          act: () => void navigate({ to, params } as never),
        }),
      ),
      ...ofInstallation.map(
        ([tab, label]): Hit => ({
          key: `/admin/${tab}`,
          group: frame.navigation.installation,
          label,
          icon: 'settings',
          act: () => void navigate({ to: '/admin/{-$tab}', params: { tab } }),
        }),
      ),
      ...paletteActs().map((act): Hit => ({ ...act, group: w.actions })),
      ...resources.map(
        (one): Hit => ({
          key: `${one.family} ${one.id}`,
          group: w.resources,
          label: one.name,
          aside: one.kind,
          icon: one.icon,
          act: () => void navigate({ to: one.to, params: { ...params, ...one.params }, search: one.search } as never),
        }),
      ),
    ]
  }, [cache, navigate, project])
  const asked = text.trim().toLowerCase()
  const seen = new Set<string>()
  return all
    .filter(
      ({ key, label, aside = '' }) =>
        !seen.has(key) && seen.add(key) && `${label} ${aside}`.toLowerCase().includes(asked),
    )
    .slice(0, mostShown)
}
