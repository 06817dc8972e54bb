/** What can carry the traffic of Load Balancers, by the names that operators use. */
export const dataPlanes = ['simulated', 'embedded', 'haproxy'] as const
export type DataPlaneName = (typeof dataPlanes)[number]
