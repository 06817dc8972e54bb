/** The menu that opens at a button: focus, arrow keys, type-ahead and closing come from Base UI. */
import { Menu } from '@base-ui/react/menu'
import { type RefObject, useEffect, useId } from 'react'
import { wantedOf } from './edit-key.ts'
import { Frame } from './frame.tsx'
import { Icon } from './icon.tsx'
import { layerRoot } from './layers.ts'
import styles from './menu.module.css'
import type { MenuEntry, MenuItem, MenuPopupProps } from './menu-entry.ts'
import { Sign } from './state.tsx'
import { useShortcutText } from './use-shortcut-text.ts'

export function MenuPopup({ label, entries, anchor, onClose, align = 'start' }: MenuPopupProps) {
  useReturn(anchor)
  useEdit(entries, onClose)
  return (
    <Frame>
      <Menu.Root open onOpenChange={(open) => open || onClose()}>
        <Menu.Portal container={layerRoot()}>
          <Menu.Positioner anchor={anchor} align={align} sideOffset={4} className={styles.layer}>
            <Menu.Popup className={styles.menu} aria-label={label} finalFocus={false}>
              {entries.map((entry, index) =>
                entry === 'line' ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a line is where it is
                  <hr key={`line ${index}`} />
                ) : (
                  <Item key={entry.key} item={entry} />
                ),
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </Frame>
  )
}

/** Gives the focus back to the button, unless what was chosen has taken it, such as a field that appeared. */
function useReturn(anchor: RefObject<HTMLElement | null>): void {
  useEffect(
    () => () => {
      const at = document.activeElement
      if (at === null || at === document.body || at.closest('[role=menu]')) anchor.current?.focus()
    },
    [anchor],
  )
}

/** Takes the entry for editing at once when its key has opened the menu. */
function useEdit(entries: readonly MenuEntry[], onClose: () => void): void {
  useEffect(() => {
    const entry = wantedOf(entries)
    if (!entry) return
    onClose()
    setTimeout(() => entry.onSelect?.())
  }, [entries, onClose])
}

function Item({ item }: { readonly item: MenuItem }) {
  const { label, icon, aside, keys, isBad, isChosen, reason, onSelect } = item
  const shortcut = useShortcutText(item.isEdit ? 'E' : keys)
  const id = useId()
  return (
    <Menu.Item
      className={isBad ? styles.bad : undefined}
      aria-disabled={reason !== undefined || undefined}
      aria-describedby={reason ? id : undefined}
      aria-current={isChosen || undefined}
      closeOnClick={reason === undefined}
      // After the menu has given the focus back, so that a dialog which opens now keeps it and returns it there.
      onClick={reason === undefined && onSelect ? () => setTimeout(onSelect) : undefined}
    >
      {icon ? <Icon name={icon} /> : isChosen !== undefined && <Sign mood={isChosen ? 'ok' : 'off'} />}
      <span>{label}</span>
      {reason ? <small id={id}>{reason}</small> : aside && <small>{aside}</small>}
      {!reason && shortcut?.map((key) => <kbd key={key}>{key}</kbd>)}
    </Menu.Item>
  )
}
