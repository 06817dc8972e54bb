/** Glossaries on the wire. */
import { Type } from 'typebox'
import { ActionSchema, actionsOf } from '../../kernel/actions/contract.ts'
import { closedObject, defineEndpoints, Id, Labels, named, Timestamp } from '../../kernel/contract/contract.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'

/** The root below which glossaries are. */
export const base = '/dict/v1'

export const spelling = {
  type: 'glossary',
  path: 'glossaries',
  title: 'glossary',
  titles: 'glossaries',
  sortable: ['id', 'name', 'created'],
} as const

/** No section of the contract is about glossaries. */
const section = 'Actions'
const action = actionsOf('/glossaries/{id}', section)

export const Glossary = named('Glossary', {
  id: Id,
  name: Type.String(),
  status: Type.Enum(['draft', 'published']),
  labels: Labels,
  created: Timestamp,
})

const Name = Type.String({ minLength: 1, maxLength: 64 })

export const glossaryEndpoints = defineEndpoints({
  ...resourceEndpoints(spelling, Glossary, {
    needs: 'restricted',
    section,
    create: {
      body: closedObject({ name: Name, labels: Type.Optional(Labels) }),
      reply: { action: ActionSchema },
    },
    update: { body: closedObject({ name: Type.Optional(Name), labels: Type.Optional(Labels) }) },
    remove: { errors: ['locked'] },
  }),
  publish: action('publish', { needs: 'restricted', summary: 'Publish a glossary', errors: ['locked'] }),
})
