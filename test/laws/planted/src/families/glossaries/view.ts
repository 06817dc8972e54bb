import type { Static } from 'typebox'
import type { Glossary as Wire } from './contract.ts'
import type { Glossary } from './store.ts'

/** A glossary as the API shows it. */
export function glossaryToWire({ id, name, status, labels, created }: Glossary): Static<typeof Wire> {
  return { id, name, status, labels, created }
}
