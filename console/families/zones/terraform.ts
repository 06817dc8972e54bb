/** DNS zones as resources of Terraform. */
import { Expression, type Value } from '../../commands/terraform/hcl.ts'
import {
  type Fields,
  list,
  type Make,
  pick,
  type Resource,
  refuse,
  resource,
  type Terraform,
} from '../../commands/terraform/resources.ts'

const records = (body: Fields) => list(body.records).map((one) => given(one, 'value', 'comment'))

/** Objects in attributes have no fields without a value. */
function given(fields: Fields, ...names: readonly string[]): Readonly<Record<string, Value>> {
  const all = names.map((name) => [name, fields[name]] as const)
  return Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== null && value !== '')) as Record<
    string,
    Value
  >
}

function rrset(zone: Value, body: Fields): Resource {
  const label = `${body.name}_${body.type}`
  return resource('zone_rrset', label, { zone, ...pick(body, 'name', 'type', 'ttl', 'labels'), records: records(body) })
}

const zone: Make = (body) => {
  if (body.zonefile) refuse('option', 'zonefile')
  const nameservers = list(body.primary_nameservers).map((one) =>
    given(one, 'address', 'port', 'tsig_algorithm', 'tsig_key'),
  )
  const made = resource('zone', body.name, {
    ...pick(body, 'name', 'mode', 'ttl', 'labels'),
    primary_nameservers: nameservers.length > 0 ? nameservers : undefined,
  })
  const name = new Expression(`${made.type}.${made.label}.name`)
  return [made, ...list(body.rrsets).map((one) => rrset(name, one))]
}

export const terraform: Terraform = {
  kindOf: () => 'zone',
  imports: { zone_rrset: ({ zone, name, type }) => `${zone}/${name}/${type}` },
  makers: {
    create: zone,
    createRrset: (body, { id_or_name }) => [rrset(String(id_or_name), body)],
  },
}
