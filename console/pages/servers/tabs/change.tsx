/** Change. */
import type { TabProps } from '../detail.tsx'
export function ChangeTab({ server }: TabProps) {
  return <p>{server.name}</p>
}
