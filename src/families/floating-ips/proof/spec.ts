import { actionRows, type SpecRows } from '../../../../test/walks/spec/rows.ts'

export const spec: SpecRows = {
  endpoints: [
    {
      section: 'Floating IPs',
      endpoint: 'GET /floating_ips',
      status: 200,
      query: ['name', 'label_selector', 'page', 'per_page'],
      sort: ['id', 'created'],
      reply: ['floating_ips', 'meta'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'POST /floating_ips',
      status: 201,
      required: ['type'],
      optional: ['home_location', 'server', 'description', 'labels', 'name'],
      reply: ['floating_ip', 'action'],
      also: [
        'floating-ips.test.ts: it needs exactly one of server and home_location, and both by what the Project and the catalogue have',
        'floating-ips.test.ts: with a server it takes its location, is assigned by create_floating_ip, and leads there',
      ],
    },
    {
      section: 'Floating IPs',
      endpoint: 'GET /floating_ips/{id}',
      status: 200,
      reply: ['floating_ip'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'PUT /floating_ips/{id}',
      status: 200,
      optional: ['description', 'labels', 'name'],
      reply: ['floating_ip'],
      also: ['floating-ips.test.ts: names are unique, and updates change what they name'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'DELETE /floating_ips/{id}',
      status: 204,
      reply: [],
      also: [
        'floating-ips.test.ts: before 30 Sep 2026 leaving dns_ptr out resets it; before May 2026 deletion unassigns',
        'floating-ips.test.ts: a released address rests before it is given out again',
      ],
    },
    {
      section: 'Floating IPs',
      endpoint: 'POST /floating_ips/{id}/actions/assign',
      status: 201,
      required: ['server'],
      reply: ['action'],
      also: ['floating-ips.test.ts: a move from one server to another is one call, and never leads to both'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'POST /floating_ips/{id}/actions/unassign',
      status: 201,
      reply: ['action'],
      also: ['floating-ips.test.ts: unassigned means unreachable'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'POST /floating_ips/{id}/actions/change_dns_ptr',
      status: 201,
      required: ['ip', 'dns_ptr'],
      reply: ['action'],
      also: ['floating-ips.test.ts: reverse names follow the rules of their kind of address'],
    },
    {
      section: 'Floating IPs',
      endpoint: 'POST /floating_ips/{id}/actions/change_protection',
      status: 201,
      optional: ['delete'],
      reply: ['action'],
      also: ['floating-ips.test.ts: a protected one is not deleted'],
    },
    ...actionRows('Floating IPs', 'floating_ips', 2),
  ],
  fields: [
    {
      resource: 'Floating IP',
      at: 'floating_ips.get',
      key: 'floating_ip',
      fields: {
        id: 'integer',
        name: 'string',
        labels: 'object',
        created: 'timestamp',
        description: 'string or null',
        type: 'string',
        ip: 'string',
        server: 'integer or null',
        home_location: 'object',
        blocked: 'boolean',
        dns_ptr: 'array',
        protection: 'object',
      },
    },
  ],
  codes: [
    {
      operation: 'DELETE of an assigned Primary IP or Floating IP (from 1 May 2026)',
      at: 'floating_ips.remove',
      codes: [
        {
          code: 'must_be_unassigned',
          status: 422,
        },
      ],
    },
    {
      operation: 'POST /primary_ips and POST /floating_ips, no IP available',
      at: 'floating_ips.create',
      codes: [
        {
          code: 'unavailable',
          status: 412,
        },
      ],
    },
  ],
  sentences: [
    {
      section: 'Action',
      says: 'An action that runs, also while what failed is undone, shows no error',
      tests: ['floating-ips.test.ts: a failed assignment leaves it where it was, unlocked'],
    },
    {
      section: 'Floating IP',
      says: 'IPv4 is one address, IPv6 a network of /64; names are unique',
      tests: [
        'floating-ips.test.ts: an unassigned one has no action, a name of its own and a default reverse name',
        'floating-ips.test.ts: an IPv6 one is a /64 without reverse names',
        'floating-ips.test.ts: names are unique, and updates change what they name',
      ],
    },
    {
      section: 'States and transitions',
      says: 'Assigning, unassigning and creation with a server each have their action',
      tests: [
        'floating-ips.test.ts: with a server it takes its location, is assigned by create_floating_ip, and leads there',
        'floating-ips.test.ts: a move from one server to another is one call, and never leads to both',
        'floating-ips.test.ts: unassigned means unreachable',
      ],
    },
    {
      section: 'States and transitions',
      says: 'Protection prevents deletion',
      tests: [
        'floating-ips.test.ts: a protected one is not deleted',
        'own-images.test.ts: a snapshot can be protected from deletion, a backup cannot',
      ],
    },
    {
      section: 'Floating IPs',
      says: 'change_dns_ptr: the exact address or one inside the /64; null resets; the key is mandatory; no trailing dot',
      tests: ['floating-ips.test.ts: reverse names follow the rules of their kind of address'],
    },
    {
      section: 'Floating IPs',
      says: 'Without a free address creation answers 412 unavailable',
      tests: [
        'floating-ips.test.ts: 40 clients draining a pool get each address once, and an empty pool is 412 unavailable',
      ],
    },
  ],
}
