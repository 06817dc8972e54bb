/** Glossaries in the database. */
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import { spelling } from './contract.ts'
import type { GlossaryRow } from './tables.ts'

function fromRow({ labels, project_id: _, ...row }: GlossaryRow) {
  return { ...row, labels: readLabels(labels) }
}

export const glossaries = defineResource({ ...spelling, fromRow, unique: { name: nameTaken() }, most: 100 })

export type Glossary = ReturnType<typeof fromRow>
