import { named, namedState, removes, renames, showsNamed } from '../../../test/kit/crash.ts'
import {
  act,
  anyLabels,
  anyName,
  anyRename,
  conflict,
  done,
  noBody,
  overLimit,
  type Proof,
  rename,
  type Samples,
  takenName,
  takenTwice,
  unique,
} from '../../../test/kit/proof.ts'

const body = () => ({ name: unique('glossary') })

const prepare: Samples['prepare'] = async ({ api }) => {
  const { glossary, action } = await done(api.post('/glossaries', body()))
  return { id: glossary.id, actionId: action.id }
}

export const proof: Proof = {
  samples: { prepare, requests: { create: () => ({ body: body() }), update: rename('glossary') } },
  errors: {
    'glossaries.create': {
      uniqueness_error: takenTwice('/glossaries', body),
      resource_limit_exceeded: overLimit('glossaries', '/glossaries', body),
    },
    'glossaries.update': {
      uniqueness_error: takenName('glossaries', prepare),
      conflict: conflict('glossaries', 'glossary', prepare),
    },
    'glossaries.remove': {
      async locked(stage) {
        const { id } = await prepare(stage)
        await done(stage.api.post(`/glossaries/${id}/actions/publish`))
        return stage.api.delete(`/glossaries/${id}`)
      },
    },
    'glossaries.publish': {
      async locked(stage) {
        const { id } = await prepare(stage)
        await done(stage.api.post(`/glossaries/${id}/actions/publish`))
        return stage.api.post(`/glossaries/${id}/actions/publish`)
      },
    },
  },
  actions: {
    'glossaries/create_glossary': async () => act((api) => api.post('/glossaries', body())),
    async 'glossaries/publish_glossary'(world) {
      const { id } = await prepare(world)
      return act((api) => api.post(`/glossaries/${id}/actions/publish`))
    },
  },
  consistency: { resources: 'glossary' },
  traffic: {
    kind: 'glossary',
    requests: {
      'POST /glossaries': (draw) => ({ name: anyName('g', draw), labels: anyLabels(draw) }),
      'PUT /glossaries/{glossaries}': anyRename('g'),
      'DELETE /glossaries/{glossaries}': noBody,
      'POST /glossaries/{glossaries}/actions/publish': noBody,
    },
  },
  crash: {
    shows: { glossaries: (glossary) => ({ ...showsNamed(glossary), status: glossary.status }) },
    writes: {
      'POST /glossaries': (draw) => ({ body: named(draw), makes: { ...namedState(draw), status: 'draft' } }),
      'PUT /glossaries/{glossaries}': renames,
      'DELETE /glossaries/{glossaries}': removes,
      'POST /glossaries/{glossaries}/actions/publish': () => ({ to: { status: 'published' }, later: 'all' }),
    },
  },
}
