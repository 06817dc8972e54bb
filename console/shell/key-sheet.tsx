/** All shortcuts, from the registry, with the switch that turns single keys off. */
import { useStore } from '../lib/store.ts'
import { keyTexts, type Shortcut, shortcuts, shortcutsOn, switchShortcuts } from '../shortcuts.ts'
import { Facts } from '../ui/card.tsx'
import { Check } from '../ui/check.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { keys as w } from '../words/keys.ts'
import { navigation } from './navigation.ts'

export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  const isOn = useStore(shortcutsOn)
  const entries = Object.entries(shortcuts) as [keyof typeof shortcuts, Shortcut][]
  const pages = navigation()
    .flatMap((group) => group.entries)
    .filter(({ keys }) => keys !== undefined)
  return (
    <Sheet title={w.title} onClose={onClose}>
      <Check kind="switch" checked={isOn} onChange={switchShortcuts}>
        {isOn ? w.on : w.off}
      </Check>
      {(['general', 'page', 'list'] as const).map((group) => (
        <section key={group} className="stack">
          <h2>{w.groups[group]}</h2>
          <Facts
            rows={entries
              .filter(([, one]) => one.group === group)
              .map(([id, { keys }]) => [w[id], <Keys key={id} keys={keys} />])}
          />
        </section>
      ))}
      <section className="stack">
        <h2>{w.groups.go}</h2>
        <Facts rows={pages.map(({ label, keys = '' }) => [label, <Keys key={keys} keys={keys} />])} />
      </section>
    </Sheet>
  )
}

function Keys({ keys }: { readonly keys: string }) {
  return keyTexts(keys).map((key, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: keys in their order
    <span key={index}>
      {index > 0 && <span className="faint"> {w.next} </span>}
      <kbd>{key}</kbd>
    </span>
  ))
}
