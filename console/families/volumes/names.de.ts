import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Volumes',
  type: 'Volume',
  commands: {
    create_volume: 'Volume erstellen',
    delete_volume: 'Volume löschen',
    attach_volume: 'Volume anhängen',
    detach_volume: 'Volume lösen',
    resize_volume: 'Volume vergrößern',
  },
}
