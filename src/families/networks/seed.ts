/** Networks in seed files. */
import { protectedParts, protection, type Seed } from '../../kernel/resource/seed.ts'

export const seed: Seed = {
  parts: {
    subnets: { by: 'add_subnet', each: ['ip_range'], isCreated: true, undo: 'delete_subnet' },
    routes: { by: 'add_route', each: ['destination', 'gateway'], isCreated: true, undo: 'delete_route' },
    protection,
  },
  entry: ({ ip_range, subnets, routes, labels, expose_routes_to_vswitch, protection }) => ({
    ip_range,
    subnets: subnets.map(({ gateway: _, ...subnet }: Record<string, unknown>) => subnet),
    routes,
    expose_routes_to_vswitch: expose_routes_to_vswitch || null,
    labels,
    protection: protectedParts(protection),
  }),
}
