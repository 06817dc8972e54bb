/** Servers whose state is not known need somebody. */
import { linkTo } from '../../families.ts'
import { type Need, type States, withKind } from '../../pages/shared/states.ts'
import { overview as w } from '../../words/overview.ts'
import type { Server } from './server.ts'

function ofServer({ id, name, status }: Server): Need[] {
  if (status !== 'unknown') return []
  const link = linkTo('servers', 'one', { id })
  return [{ key: `server ${id}`, mood: 'bad', title: w.unknownState(name), text: withKind('servers', ''), link }]
}

export const states: States<Server> = {
  place: 1,
  needsOf: ofServer,
}
