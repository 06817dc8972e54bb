/** Networking. */
import type { TabProps } from '../detail.tsx'
export function NetworkingTab({ server }: TabProps) {
  return <p>{server.name}</p>
}
