import type { Proof } from '../../../test/kit/proof.ts'
import type { actionEndpoints } from './contract.ts'

/** The kernel has no resources of its own, so the first family that has actions provides one. */
export const proof: Proof<typeof actionEndpoints> = {
  samples: {
    async prepare(world) {
      // Imported late, because proofs.ts imports this file.
      const { proofs, actionScenarios } = await import('../../../test/kit/proofs.ts')
      const [lender] = Object.keys(actionScenarios).map((name) => name.split('/')[0]!)
      const target = await proofs.get(lender!)!.samples!.prepare(world)
      await world.settle()
      return target
    },
    requests: { list: (_world, { actionId }) => ({ query: `id=${actionId}` }) },
  },
  errors: { 'actions.list': { deprecated_api_endpoint: ({ api }) => api.get('/actions') } },
  spec: {
    endpoints: [
      {
        section: 'Actions',
        endpoint: 'GET /actions',
        status: 200,
        query: ['id'],
        reply: ['actions'],
      },
      {
        section: 'Actions',
        endpoint: 'GET /actions/{id}',
        status: 200,
        reply: ['action'],
      },
    ],
    fields: [
      {
        resource: 'Action',
        at: 'actions.get',
        key: 'action',
        fields: {
          id: 'integer',
          command: 'string',
          status: 'string',
          progress: 'integer',
          started: 'timestamp',
          finished: 'timestamp or null',
          resources: 'array',
          error: 'object or null',
        },
      },
    ],
  },
}
