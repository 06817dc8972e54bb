/** Measurements of Load Balancers on the wire (spec: Load Balancers). */
import { Type } from 'typebox'
import { defineEndpoints } from '../../../kernel/contract/contract.ts'
import { Metrics, metricsQuery } from '../../../kernel/contract/metrics.ts'
import { metricTypes } from './domain.ts'

export const metricEndpoints = defineEndpoints({
  metrics: {
    method: 'GET',
    needs: 'viewer',
    path: '/load_balancers/{id}/metrics',
    of: '/load_balancers/{id}',
    summary: 'Get what was measured of a Load Balancer in the past 30 days',
    section: 'Load Balancers',
    query: metricsQuery(metricTypes),
    status: 200,
    reply: Type.Object({ metrics: Metrics }),
    errors: [],
  },
})
