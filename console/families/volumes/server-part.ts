/** Volumes of a new server: those that are free where it is. */
import type { ItemOf } from '../../api/api.ts'
import { number } from '../../words/format.ts'
import { language } from '../../words/words.ts'
import type { ServerPart } from '../servers/part.ts'

const w = {
  en: {
    none: (location: string) => `There is no free volume in ${location}.`,
    automount: 'Mount them in the server',
    attached: 'is attached',
    creating: 'is being created',
    elsewhere: (location: string) => `is in ${location}`,
    onlyOnce: 'A volume can be in one server only, so this makes one server.',
  },
  de: {
    none: (location: string) => `In ${location} ist kein Volume frei.`,
    automount: 'Im Server einhängen',
    attached: 'ist angehängt',
    creating: 'wird angelegt',
    elsewhere: (location: string) => `ist in ${location}`,
    onlyOnce: 'Ein Volume kann nur in einem Server sein, also entsteht so nur ein Server.',
  },
}[language]

export const serverPart: ServerPart<ItemOf<'volumes_list'>> = {
  place: 20,
  none: w.none,
  asideOf: ({ size }) => `${number(size)} GB`,
  obstacleOf: ({ server, status, location: { name } }, location) => {
    if (server !== null) return w.attached
    if (status !== 'available') return w.creating
    return name === location ? undefined : w.elsewhere(name)
  },
  question: { field: 'automount', text: w.automount },
  onlyOnce: w.onlyOnce,
}
