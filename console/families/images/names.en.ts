import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'images',
  type: 'image',
  commands: {
    create_image: 'Create image',
    delete_image: 'Delete image',
  },
} satisfies Names
