import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Images',
  type: 'Image',
  commands: {
    create_image: 'Image erstellen',
    delete_image: 'Image löschen',
  },
}
