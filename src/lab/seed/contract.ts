/** Seeds on the wire, below `/wolke/v1` (docs/seed.md). */
import { Type } from 'typebox'
import { closedObject, defineEndpoints, type Param } from '../../kernel/contract/contract.ts'

/** The largest file, in characters. */
export const mostText = 4_000_000

const own = { family: 'seed', section: 'The lab', needs: 'operator' } as const

export const formats = ['seed', 'terraform'] as const
export type Format = (typeof formats)[number]

const format: Param<Format> = {
  schema: { type: 'string', enum: formats, default: 'seed' },
  description: 'What the text is: a seed file, or a configuration of Terraform',
  repeatable: false,
  parse(texts) {
    const text = texts.at(-1) ?? 'seed'
    const known = formats.find((one) => one === text)
    if (known === undefined) throw `must be one of ${formats.join(', ')}`
    return known
  },
}

const Fields = Type.Array(Type.String())

export const seedEndpoints = defineEndpoints({
  seed: {
    ...own,
    method: 'POST',
    path: '/seed',
    summary: 'Make what a seed file describes, or nothing of it',
    body: closedObject({
      projects: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 100, description: 'The seed as JSON' })),
      yaml: Type.Optional(Type.String({ maxLength: mostText, description: 'The seed as the text of a file' })),
    }),
    maxBodyBytes: 2 * mostText,
    status: 201,
    reply: Type.Object({ created: Fields, changed: Fields, left: Fields }),
    errors: ['unsupported_error'],
  },
  exportSeed: {
    ...own,
    method: 'GET',
    path: '/projects/{project_id}/seed',
    summary: 'Describe a Project as a seed file, or as a configuration of Terraform',
    query: { format },
    status: 200,
    reply: Type.Object({ text: Type.String(), left_out: Fields }),
    errors: ['unsupported_error'],
  },
})
