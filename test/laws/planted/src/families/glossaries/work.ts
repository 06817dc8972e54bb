/** Glossaries are made and published on request. */
import { actionToWire } from '../../kernel/actions/routes.ts'
import { recordOf, refuseLocked, startAction, toStart } from '../../kernel/actions/store.ts'
import type { Calls } from '../../kernel/contract/contract.ts'
import { act, adding } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import { createGlossary, publishGlossary } from './actions.ts'
import type { glossaryEndpoints } from './contract.ts'
import { glossaries } from './store.ts'
import { glossaryToWire } from './view.ts'

type Call = Calls<typeof glossaryEndpoints>

/** Makes a glossary. Errors: those that the contract declares. */
export const create = (platform: Platform, { scope, body: { name, labels = {} } }: Call['create']) =>
  adding(platform, glossaries, scope, async (tx) => {
    const glossary = await glossaries.insert(tx, scope, { name, status: 'draft', labels })
    const action = actionToWire(await startAction(tx, scope, recordOf(createGlossary, glossaries.ref(glossary.id))))
    return { added: glossary, reply: { glossary: glossaryToWire(glossary), action } }
  })

/** Publishes a glossary. Errors: `locked`. */
export const publish = (platform: Platform, call: Call['publish']) =>
  act(platform, glossaries, call, async (tx, { id }) => {
    const ref = glossaries.ref(id)
    await refuseLocked(tx.query, call.scope, ref)
    return toStart({ definition: publishGlossary, input: { glossary: id }, resources: [ref], locks: [ref] })
  })
