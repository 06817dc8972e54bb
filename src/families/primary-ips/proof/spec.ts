import { actionRows, type SpecRows } from '../../../../test/walks/spec/rows.ts'

const section = 'Primary IPs'

/** The tables of the spec have no endpoints of Primary IPs: it tells them in words. */
const endpoints: SpecRows['endpoints'] = [
  {
    section,
    endpoint: 'GET /primary_ips',
    status: 200,
    query: ['name', 'label_selector', 'ip', 'page', 'per_page'],
    effects: { ip: { empty: '203.0.113.1' } },
    sort: ['id', 'created'],
    reply: ['primary_ips', 'meta'],
    also: ['primary-ips.test.ts: they are found by address, name and labels'],
  },
  {
    section,
    endpoint: 'POST /primary_ips',
    status: 201,
    required: ['name', 'type'],
    optional: ['assignee_id', 'assignee_type', 'location', 'auto_delete', 'labels'],
    reply: ['primary_ip', 'action'],
    also: [
      'primary-ips.test.ts: it needs exactly one of assignee_id and location, by what the Project and the catalogue have',
      'primary-ips.test.ts: with a server it takes its location, and the server gets the address',
    ],
  },
  { section, endpoint: 'GET /primary_ips/{id}', status: 200, reply: ['primary_ip'] },
  {
    section,
    endpoint: 'PUT /primary_ips/{id}',
    status: 200,
    optional: ['name', 'labels', 'auto_delete'],
    reply: ['primary_ip'],
    also: ['primary-ips.test.ts: updates change what they name, and names are unique'],
  },
  {
    section,
    endpoint: 'DELETE /primary_ips/{id}',
    status: 204,
    reply: [],
    also: ['primary-ips.test.ts: only an unassigned one is deleted; before May 2026 deletion unassigned it'],
  },
  {
    section,
    endpoint: 'POST /primary_ips/{id}/actions/assign',
    status: 201,
    required: ['assignee_id', 'assignee_type'],
    reply: ['action'],
    also: ['primary-ips.test.ts: it moves between servers that are off'],
  },
  {
    section,
    endpoint: 'POST /primary_ips/{id}/actions/unassign',
    status: 201,
    reply: ['action'],
    also: ['primary-ips.test.ts: it moves between servers that are off'],
  },
  {
    section,
    endpoint: 'POST /primary_ips/{id}/actions/change_dns_ptr',
    status: 201,
    required: ['ip', 'dns_ptr'],
    reply: ['action'],
    also: ['primary-ips.test.ts: reverse names follow the rules of their kind of address'],
  },
  {
    section,
    endpoint: 'POST /primary_ips/{id}/actions/change_protection',
    status: 201,
    optional: ['delete'],
    reply: ['action'],
    also: ['primary-ips.test.ts: one is either protected or deleted with its server'],
  },
  {
    section: 'Servers',
    endpoint: 'POST /servers/{id}/actions/change_dns_ptr',
    status: 201,
    required: ['ip', 'dns_ptr'],
    reply: ['action'],
    also: ['primary-ips.test.ts: a server changes the reverse names of its addresses'],
  },
  ...actionRows(section, 'primary_ips', 4),
].map((row) => ({ ...row, inWords: true as const }))

export const spec: SpecRows = {
  endpoints,
  fields: [
    {
      resource: 'Primary IP',
      at: 'primary_ips.get',
      key: 'primary_ip',
      fields: {
        id: 'integer',
        name: 'string',
        type: 'string',
        ip: 'string',
        location: 'object',
        assignee_id: 'integer or null',
        assignee_type: 'string',
        auto_delete: 'boolean',
        blocked: 'boolean',
        dns_ptr: 'array',
        labels: 'object',
        protection: 'object',
        created: 'timestamp',
      },
    },
  ],
  sentences: [
    {
      section,
      says: 'A server keeps addresses without auto_delete from going with it',
      tests: ['primary-ips.test.ts: a server takes those with auto_delete with it; the others stay, unassigned'],
    },
    {
      section: 'Servers',
      says: 'public_net takes existing Primary IPs; the others are made',
      tests: ['primary-ips.test.ts: a new server takes the addresses that it is given, and only the others are made'],
    },
    {
      section,
      says: 'An action that fails leaves the address where it was',
      tests: ['primary-ips.test.ts: a failed assignment leaves it unassigned, a failed unassignment where it was'],
    },
  ],
}
