/** Servers whose state is not known need somebody. */
import { type Need, type States, withKind } from '../../pages/shared/states.ts'
import { overview as w } from '../../words/overview.ts'
import type { Server } from './server.ts'

function ofServer({ id, name, status }: Server, project: string): Need[] {
  if (status !== 'unknown') return []
  const link = { to: '/projects/$project/servers/$id/{-$tab}', params: { project, id: String(id) } } as const
  return [{ key: `server ${id}`, mood: 'bad', title: w.unknownState(name), text: withKind('servers', ''), link }]
}

export const states: States<Server> = {
  place: 1,
  needsOf: ofServer,
}
