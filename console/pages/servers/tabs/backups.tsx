/** Backups. */
import type { TabProps } from '../detail.tsx'
export function BackupsTab({ server }: TabProps) {
  return <p>{server.name}</p>
}
