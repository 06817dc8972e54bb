/**
 * All keyboard shortcuts. This one list feeds the handler, the palette, the tips and the `?` sheet. A shortcut does
 * something only while a part of the page has registered what it does.
 */
import { createStore } from './lib/store.ts'

export interface Shortcut {
  /** `Mod+K`, a key, or keys one after the other: `G S`. */
  readonly keys: string
  readonly group: 'general' | 'go' | 'page' | 'list'
}

export const shortcuts = {
  palette: { keys: 'Mod+K', group: 'general' },
  help: { keys: '?', group: 'general' },
  back: { keys: 'Escape', group: 'general' },
  filter: { keys: '/', group: 'page' },
  create: { keys: 'C', group: 'page' },
  commands: { keys: '`', group: 'page' },
  edit: { keys: 'E', group: 'page' },
  down: { keys: 'J', group: 'list' },
  up: { keys: 'K', group: 'list' },
  select: { keys: 'X', group: 'list' },
  actions: { keys: '.', group: 'list' },
} as const satisfies Record<string, Shortcut>

export type ShortcutId = keyof typeof shortcuts | `go ${string}`

const offKey = 'wolke-shortcuts'
const chordMs = 1_200
const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** True while single keys do something. People who speak to their machine turn them off. */
export const shortcutsOn = createStore(readChoice())

function readChoice(): boolean {
  try {
    return localStorage.getItem(offKey) !== 'off'
  } catch {
    return true
  }
}

export function switchShortcuts(on: boolean): void {
  shortcutsOn.set(on)
  try {
    localStorage.setItem(offKey, on ? 'on' : 'off')
  } catch {
    // It lasts until the page is left.
  }
}

/** Returns the keys of a shortcut as they are written on this keyboard. */
export function keyTexts(keys: string): readonly string[] {
  const names: Readonly<Record<string, string>> = { Mod: isApple ? '⌘' : 'Ctrl', Escape: 'Esc' }
  return keys.split(' ').map((part) =>
    part
      .split('+')
      .map((key) => names[key] ?? key)
      .join(' '),
  )
}

interface Registered {
  readonly keys: string
  readonly act: () => void
}

const registered = new Map<string, Registered[]>()
/** The keys that lead to pages, by the name of the page; the routes fill it. */
const goKeys = new Map<string, string>()

/** Gives a page its keys. */
export function defineGo(page: string, keys: string): void {
  goKeys.set(page, keys)
}

export function goShortcuts(): ReadonlyMap<string, string> {
  return goKeys
}

function keysOf(id: ShortcutId): string {
  return id.startsWith('go ') ? (goKeys.get(id.slice(3)) ?? '') : shortcuts[id as keyof typeof shortcuts].keys
}

/** Lets a shortcut do something; returns how to undo that. The last one that was registered counts. */
export function register(id: ShortcutId, act: () => void): () => void {
  const entry = { keys: keysOf(id), act }
  registered.set(id, [...(registered.get(id) ?? []), entry])
  return () => {
    const left = (registered.get(id) ?? []).filter((one) => one !== entry)
    if (left.length > 0) registered.set(id, left)
    else registered.delete(id)
  }
}

export function isRegistered(id: ShortcutId): boolean {
  return registered.has(id)
}

export function perform(id: ShortcutId): void {
  registered.get(id)?.at(-1)?.act()
}

let begun = ''
let begunAt = 0

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.matches('select, textarea')) return true
  return target.matches('input:not([type=checkbox], [type=radio])')
}

function find(keys: string): Registered | undefined {
  return [...registered.values()].map((all) => all.at(-1)!).find((one) => one.keys === keys)
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key
  const withMod = isApple ? event.metaKey : event.ctrlKey
  if (event.ctrlKey || event.metaKey) {
    if (withMod && !event.shiftKey) run(event, find(`Mod+${key}`))
    return
  }
  if (isTyping(event.target) || (!shortcutsOn.get() && key !== 'Escape')) return
  // Menus and dialogs have keys of their own.
  if ((event.target as Element | null)?.closest?.('[role=menu], [role=dialog], [role=listbox]')) return
  const chord = Date.now() - begunAt < chordMs ? `${begun} ${key}` : ''
  begun = key
  begunAt = Date.now()
  run(event, find(chord) ?? find(key))
}

function run(event: KeyboardEvent, found: Registered | undefined): void {
  if (!found) return
  begun = ''
  event.preventDefault()
  found.act()
}

export function listenToKeys(): void {
  document.addEventListener('keydown', onKey)
}
