/** What happens to glossaries asynchronously. */
import { type ActionInput, defineAction, defineRecord } from '../../kernel/actions/define.ts'
import { glossaries } from './store.ts'

interface Input extends ActionInput {
  readonly glossary: number
}

export const createGlossary = defineRecord('glossaries', 'create_glossary')

export const publishGlossary = defineAction<Input>({
  family: 'glossaries',
  command: 'publish_glossary',
  steps: [
    {
      name: 'show',
      run: ({ drivers, input }) => drivers.glossaries.show(input.glossary, true),
      commit: (tx, { scope, input }) => glossaries.set(tx, scope, input.glossary, { status: 'published' }),
      undo: ({ drivers, input }) => drivers.glossaries.show(input.glossary, false),
    },
  ],
})

export const glossaryActions = [createGlossary, publishGlossary]
