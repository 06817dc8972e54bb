/** What Storage Boxes took over time on the wire, below `/wolke/v1`. */
import { Type } from 'typebox'
import { defineEndpoints } from '../../../kernel/contract/contract.ts'
import { Metrics, rangeQuery } from '../../../kernel/contract/metrics.ts'

export const usageEndpoints = defineEndpoints({
  getUsage: {
    method: 'GET',
    needs: 'viewer',
    path: '/storage_boxes/{id}/usage',
    summary: 'Get what the files and the snapshots of a Storage Box took in the past 30 days, in bytes',
    section: 'Files of Storage Boxes',
    query: rangeQuery,
    status: 200,
    reply: Type.Object({ metrics: Metrics }),
    errors: [],
  },
})
