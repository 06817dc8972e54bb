/** Measurements of servers on the wire (spec: Servers). */
import { Type } from 'typebox'
import { defineEndpoints } from '../../../kernel/contract/contract.ts'
import { Metrics, metricsQuery } from '../../../kernel/contract/metrics.ts'
import { metricTypes } from './domain.ts'

export const metricEndpoints = defineEndpoints({
  metrics: {
    method: 'GET',
    needs: 'viewer',
    path: '/servers/{id}/metrics',
    of: '/servers/{id}',
    summary: 'Get what was measured of a server in the past 30 days',
    section: 'Servers',
    query: metricsQuery(metricTypes),
    status: 200,
    reply: Type.Object({ metrics: Metrics }),
    errors: [],
  },
})
