/** Firewalls on the wire (spec: Firewall, Firewalls). */
import { Type } from 'typebox'
import { ActionSchema, ActionsReply, actionsOf } from '../../kernel/actions/contract.ts'
import {
  closed,
  closedObject,
  defineEndpoints,
  Id,
  Labels,
  named,
  nullable,
  Timestamp,
} from '../../kernel/contract/contract.ts'
import { unread } from '../../kernel/contract/marks.ts'
import { anyOnes, refersTo } from '../../kernel/contract/references.ts'
import { resourceEndpoints } from '../../kernel/resource/endpoints.ts'
import { maxNetworks, maxRules, protocols } from './domain.ts'

const Description = nullable(Type.String({ maxLength: 255 }))
const ServerRef = Type.Object({ id: Id })

const Rule = named('FirewallRule', {
  direction: Type.Enum(['in', 'out']),
  protocol: Type.Enum([...protocols]),
  port: nullable(Type.String()),
  source_ips: Type.Array(Type.String()),
  destination_ips: Type.Array(Type.String()),
  description: Description,
})

const AppliedTo = named('FirewallTarget', {
  type: Type.Enum(['server', 'label_selector']),
  server: Type.Optional(ServerRef),
  label_selector: Type.Optional(Type.Object({ selector: Type.String() })),
  applied_to_resources: Type.Optional(Type.Array(Type.Object({ type: Type.Enum(['server']), server: ServerRef }))),
})

export const Firewall = named('Firewall', {
  id: Id,
  name: Type.String(),
  labels: Labels,
  created: Timestamp,
  rules: Type.Array(Rule),
  applied_to: Type.Array(AppliedTo),
})

const Networks = nullable(Type.Array(Type.String({ maxLength: 64 }), { maxItems: maxNetworks }))

const GivenRules = Type.Array(
  named(
    'NewFirewallRule',
    {
      direction: Type.Enum(['in', 'out']),
      protocol: Type.Enum([...protocols]),
      port: Type.Optional(nullable(Type.String({ maxLength: 11 }))),
      source_ips: Type.Optional(Networks),
      destination_ips: Type.Optional(Networks),
      description: Type.Optional(Description),
    },
    closed,
  ),
  { maxItems: maxRules },
)

/** Clients send entries back as they read them, so fields that only replies have are tolerated (spec: Firewalls). */
const Targets = Type.Array(
  named(
    'NewFirewallTarget',
    {
      type: Type.Enum(['server', 'label_selector']),
      server: Type.Optional(nullable(ServerRef)),
      label_selector: Type.Optional(
        nullable(Type.Object({ selector: Type.String({ minLength: 1, maxLength: 1024 }) })),
      ),
      applied_to_resources: Type.Optional(nullable(Type.Array(Type.Unknown(), { maxItems: 10_000 }))),
    },
    closed,
  ),
  { maxItems: 100 },
)

const targetsIn = (field: string) => ({
  [`${field}[].server.id`]: refersTo('server'),
  [`${field}[].label_selector`]: anyOnes,
})

const Name = Type.String({ minLength: 1, maxLength: 128 })

declare module '../../kernel/errors.ts' {
  interface CallCodes {
    server_already_added: 422
    incompatible_network_type: 422
    firewall_resource_not_found: 404 | 422
    firewall_already_applied: 422
    firewall_managed_by_label_selector: 422
    resource_in_use: 422
  }
}

export const spelling = {
  type: 'firewall',
  path: 'firewalls',
  title: 'firewall',
  titles: 'firewalls',
  sortable: ['id', 'name', 'created'],
} as const

/** Tools send a whole firewall again when they give it other rules. */
const Ignored = unread(Type.Optional(Type.Unknown({ description: 'Ignored' })))

const section = 'Firewalls'
const action = actionsOf('/firewalls/{id}', section)

export const firewallEndpoints = defineEndpoints({
  ...resourceEndpoints(spelling, Firewall, {
    needs: 'restricted',
    section,
    create: {
      body: closedObject({
        name: Name,
        labels: Type.Optional(Labels),
        rules: Type.Optional(nullable(GivenRules)),
        apply_to: Type.Optional(nullable(Targets)),
      }),
      refers: targetsIn('apply_to'),
      reply: { actions: Type.Array(ActionSchema) },
      errors: ['server_already_added', 'incompatible_network_type', 'firewall_resource_not_found'],
    },
    update: { body: closedObject({ name: Type.Optional(Name), labels: Type.Optional(Labels) }) },
    remove: { errors: ['resource_in_use'] },
  }),
  setRules: action('set_rules', {
    needs: 'restricted',
    summary: 'Replace the rules of a firewall',
    body: closedObject({ rules: GivenRules, name: Ignored, labels: Ignored, apply_to: Ignored }),
    reply: ActionsReply,
  }),
  applyToResources: action('apply_to_resources', {
    needs: 'restricted',
    summary: 'Apply a firewall to servers and label selectors',
    body: closedObject({ apply_to: Targets }),
    refers: targetsIn('apply_to'),
    reply: ActionsReply,
    errors: [
      'firewall_already_applied',
      'incompatible_network_type',
      'firewall_resource_not_found',
      'resource_limit_exceeded',
    ],
    statuses: { firewall_resource_not_found: 404 },
  }),
  removeFromResources: action('remove_from_resources', {
    needs: 'restricted',
    summary: 'Remove a firewall from servers and label selectors',
    body: closedObject({ remove_from: Targets }),
    refers: targetsIn('remove_from'),
    reply: ActionsReply,
    errors: ['firewall_resource_not_found', 'firewall_managed_by_label_selector'],
    statuses: { firewall_resource_not_found: 404 },
  }),
})
