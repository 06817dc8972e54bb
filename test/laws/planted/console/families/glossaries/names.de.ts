import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Glossare',
  type: 'Glossar',
  commands: { publish_glossary: 'Glossar veröffentlichen' },
}
