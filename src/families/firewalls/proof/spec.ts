import { assertNames } from '../../../../test/kit/refusals.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { actionRows, type SpecRows } from '../../../../test/walks/spec/rows.ts'
import { allow, newFirewall } from './samples.ts'

const ports = (count: number) => Array.from({ length: count }, (_, i) => allow(String(i + 1), ['10.0.0.0/8']))

export const spec: SpecRows = {
  limits: [
    {
      limit: 'Firewall rules',
      async check(open) {
        const { api } = await open()
        const id = await newFirewall(api, 'f')
        const setRules = (count: number) => api.post(`/firewalls/${id}/actions/set_rules`, { rules: ports(count) })
        expect(await setRules(50), 201)
        assertNames(await setRules(51), 'rules')
        expect(await api.post('/firewalls', { name: 'g', rules: ports(50) }), 201)
        assertNames(await api.post('/firewalls', { name: 'h', rules: ports(51) }), 'rules')
      },
    },
  ],
  endpoints: [
    {
      section: 'Firewalls',
      endpoint: 'GET /firewalls',
      status: 200,
      query: ['name', 'label_selector', 'page', 'per_page'],
      sort: ['id', 'name', 'created'],
      reply: ['firewalls', 'meta'],
      also: ['firewalls.test.ts: lists sort by id, name and creation, and filter by name and labels'],
    },
    {
      section: 'Firewalls',
      endpoint: 'POST /firewalls',
      status: 201,
      required: ['name'],
      optional: ['labels', 'rules', 'apply_to'],
      reply: ['firewall', 'actions'],
      also: ['firewalls.test.ts: a firewall has exactly the documented fields, and is gone after its deletion'],
    },
    {
      section: 'Firewalls',
      endpoint: 'GET /firewalls/{id}',
      status: 200,
      reply: ['firewall'],
    },
    {
      section: 'Firewalls',
      endpoint: 'PUT /firewalls/{id}',
      status: 200,
      optional: ['labels', 'name'],
      reply: ['firewall'],
      also: [
        'firewalls.test.ts: an update changes what it names, labels as a whole, and nothing else',
        'firewalls.test.ts: who keeps losing against rivals hears conflict, and nothing of theirs is written',
      ],
    },
    {
      section: 'Firewalls',
      endpoint: 'DELETE /firewalls/{id}',
      status: 204,
      reply: [],
      also: [
        'applications.test.ts: a firewall in use cannot be deleted, be it by a server or by a selector without servers',
      ],
    },
    {
      section: 'Firewalls',
      endpoint: 'POST /firewalls/{id}/actions/apply_to_resources',
      status: 201,
      required: ['apply_to'],
      reply: ['actions'],
      also: ['applications.test.ts: applying to a server puts its rules in force there, removing takes them out again'],
    },
    {
      section: 'Firewalls',
      endpoint: 'POST /firewalls/{id}/actions/remove_from_resources',
      status: 201,
      required: ['remove_from'],
      reply: ['actions'],
      also: ['applications.test.ts: removing several targets is done as a whole or not at all'],
    },
    {
      section: 'Firewalls',
      endpoint: 'POST /firewalls/{id}/actions/set_rules',
      status: 201,
      required: ['rules'],
      reply: ['actions'],
      also: ['firewalls.test.ts: new rules start an apply_firewall for each server; the same rules again start none'],
    },
    ...actionRows('Firewalls', 'firewalls', 4, [
      'firewalls.test.ts: the actions of firewalls are listed, filtered and found in four places',
    ]),
  ],
  fields: [
    {
      resource: 'Firewall',
      at: 'firewalls.get',
      key: 'firewall',
      fields: {
        id: 'integer',
        name: 'string',
        labels: 'object',
        created: 'timestamp',
        rules: 'array',
        applied_to: 'array',
      },
    },
  ],
  codes: [
    {
      operation: 'POST /firewalls',
      at: 'firewalls.create',
      codes: [
        {
          code: 'server_already_added',
          status: 422,
        },
        {
          code: 'incompatible_network_type',
          status: 422,
        },
        {
          code: 'firewall_resource_not_found',
          status: 422,
        },
      ],
    },
    {
      operation: 'DELETE /firewalls/{id}',
      at: 'firewalls.remove',
      codes: [
        {
          code: 'resource_in_use',
          status: 422,
        },
      ],
    },
    {
      operation: 'POST /firewalls/{id}/actions/apply_to_resources',
      at: 'firewalls.applyToResources',
      codes: [
        {
          code: 'firewall_already_applied',
          status: 422,
        },
        {
          code: 'incompatible_network_type',
          status: 422,
        },
        {
          code: 'firewall_resource_not_found',
          status: 404,
        },
      ],
    },
    {
      operation: 'POST /firewalls/{id}/actions/remove_from_resources',
      at: 'firewalls.removeFromResources',
      codes: [
        {
          code: 'firewall_resource_not_found',
          status: 404,
        },
        {
          code: 'firewall_managed_by_label_selector',
          status: 422,
        },
      ],
      unused: {
        firewall_already_removed: 'the row itself says that it is no longer used',
      },
    },
    {
      operation: 'POST /firewalls/{id}/actions/set_rules',
      at: 'firewalls.setRules',
      codes: [],
      unused: {
        firewall_resource_not_found: 'rules name no resource that could be missing',
      },
    },
    {
      operation: 'Firewall operations, resource to attach/detach does not exist',
      at: 'firewalls.applyToResources',
      codes: [
        {
          code: 'firewall_resource_not_found',
          status: 404,
        },
      ],
    },
  ],
  sentences: [
    {
      section: 'Common types',
      says: 'Ids are wider than 32 bits; timestamps are RFC 3339',
      tests: [
        'ssh-keys.test.ts: a key comes back byte for byte, with its MD5 fingerprint, under an id of more than 32 bits',
        'firewalls.test.ts: a firewall has exactly the documented fields, and is gone after its deletion',
      ],
    },
    {
      section: 'Labels',
      says: 'The prefix <vendor>.cloud/ is reserved, and no other',
      tests: ['firewalls.test.ts: labels cannot have the prefix of the installation; its subdomains are free'],
    },
    {
      section: 'Labels',
      says: 'An update replaces all labels',
      tests: [
        'firewalls.test.ts: an update changes what it names, labels as a whole, and nothing else',
        'servers.test.ts: an update changes what it names, labels as a whole, and nothing else',
      ],
    },
    {
      section: 'Label selector',
      says: 'Lists and firewalls choose by the same expressions',
      tests: [
        'listing.test.ts: under every selector, sort and page shows what looking at everything finds',
        'selectors.test.ts: matching follows the labels of servers, with an action for each change',
      ],
    },
    {
      section: 'Firewall',
      says: 'Networks have no host bits',
      tests: ['domain.test.ts: a network needs its mask and must not have host bits'],
    },
    {
      section: 'Firewall',
      says: 'Without an inbound rule nothing comes in, without an outbound rule everything goes out',
      tests: [
        'domain.test.ts: with a firewall without rules nothing may come in and everything may go out',
        'domain.test.ts: the first outbound rule closes the way out for everything else',
      ],
    },
    {
      section: 'Firewall',
      says: 'An entry for a selector lists the servers that it matches',
      tests: ['selectors.test.ts: matching follows the labels of servers, with an action for each change'],
    },
    {
      section: 'Firewalls',
      says: 'A server that several selectors of a firewall match is shown under one of them',
      tests: [
        'selectors.test.ts: under several selectors of a firewall a server is shown once, and passes to the next one',
      ],
    },
    {
      section: 'Firewalls',
      says: 'Rules that do not change start no apply_firewall',
      tests: ['firewalls.test.ts: new rules start an apply_firewall for each server; the same rules again start none'],
    },
  ],
}
