import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'glossaries',
  type: 'glossary',
  commands: { publish_glossary: 'Publish glossary' },
} satisfies Names
