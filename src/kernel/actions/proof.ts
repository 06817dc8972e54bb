import type { Proof } from '../../../test/proof.ts'

/** Actions are what other families start: the first one that has any lends a resource. */
export const proof: Proof = {
  samples: {
    async prepare(world) {
      // They are collected from files that this one is among.
      const { proofs, actionScenarios } = await import('../../../test/proofs.ts')
      const [lender] = Object.keys(actionScenarios).map((name) => name.split('/')[0]!)
      const target = await proofs.get(lender!)!.samples!.prepare(world)
      await world.settle()
      return target
    },
    requests: { list: (_world, { actionId }) => ({ query: `id=${actionId}` }) },
  },
  errors: { 'actions.list': { deprecated_api_endpoint: ({ api }) => api.get('/actions') } },
}
