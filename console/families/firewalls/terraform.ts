/** Firewalls as resources of Terraform. */
import {
  type Attributes,
  type Fields,
  list,
  type Make,
  numberOf,
  pick,
  resource,
  some,
  type Terraform,
} from '../../commands/terraform/resources.ts'

const targetIds = (targets: readonly Fields[]) =>
  targets.flatMap(({ server }) => ((server as Fields | null)?.id ?? []) as number)
const selectors = (targets: readonly Fields[]) =>
  targets.flatMap(({ label_selector }) => ((label_selector as Fields | null)?.selector ?? []) as string)

const firewall: Make = (body) => {
  const targets = list(body.apply_to)
  const rules = list(body.rules).map(
    (rule) =>
      [
        'rule',
        {
          attributes: {
            ...pick(rule, 'direction', 'protocol', 'port'),
            source_ips: some(rule.source_ips),
            destination_ips: some(rule.destination_ips),
            ...pick(rule, 'description'),
          },
        },
      ] as const,
  )
  const applied = [
    ...targetIds(targets).map((server): Attributes => ({ server })),
    ...selectors(targets).map((label_selector): Attributes => ({ label_selector })),
  ].map((attributes) => ['apply_to', { attributes }] as const)
  return [resource('firewall', body.name, pick(body, 'name', 'labels'), [...rules, ...applied])]
}

const attachment: Make = (body, { id }) => {
  const targets = list(body.apply_to)
  return [
    resource('firewall_attachment', '', {
      firewall_id: numberOf(id),
      server_ids: some(targetIds(targets)),
      label_selectors: some(selectors(targets)),
    }),
  ]
}

export const terraform: Terraform = {
  kindOf: () => 'firewall',
  makers: {
    create: firewall,
    applyToResources: attachment,
  },
}
