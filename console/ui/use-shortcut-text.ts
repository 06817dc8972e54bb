/** The keys of a shortcut, as they are written on the keyboard. */

import { useStore } from '../lib/store.ts'
import { keyTexts, shortcutsOn } from '../shortcuts.ts'

export function useShortcutText(keys: string | undefined): readonly string[] | undefined {
  const isOn = useStore(shortcutsOn)
  return keys && (isOn || keys.includes('Mod')) ? keyTexts(keys) : undefined
}
