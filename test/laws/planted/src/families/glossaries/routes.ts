/** Glossaries through the API. */
import { actionToWire } from '../../kernel/actions/routes.ts'
import { recordOf, refuseLocked, startAction, toStart } from '../../kernel/actions/store.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import { act, adding, removing } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import { createGlossary, publishGlossary } from './actions.ts'
import type { glossaryEndpoints } from './contract.ts'
import { glossaries } from './store.ts'
import { glossaryToWire } from './view.ts'

/** One handler for each endpoint. */
export function glossaryRoutes(platform: Platform): Handlers<typeof glossaryEndpoints> {
  return {
    ...resourceRoutes(platform, glossaries, (some) => some.map(glossaryToWire)),

    create: ({ scope, body: { name, labels = {} } }) =>
      adding(platform, glossaries, scope, async (tx) => {
        const glossary = await glossaries.insert(tx, scope, { name, status: 'draft', labels })
        const action = await startAction(tx, scope, recordOf(createGlossary, glossaries.ref(glossary.id)))
        return { glossary: glossaryToWire(glossary), action: actionToWire(action) }
      }),

    remove: (call) => removing(platform, glossaries, call),

    publish: (call) =>
      act(platform, glossaries, call, async (tx, { id }) => {
        const ref = glossaries.ref(id)
        await refuseLocked(tx.query, call.scope, ref)
        return toStart({ definition: publishGlossary, input: { glossary: id }, resources: [ref], locks: [ref] })
      }),
  }
}
