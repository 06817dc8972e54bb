/** Renders what requests make as a configuration of Terraform. */
import type { Asked, Rendered } from '../request.ts'
import { blockText, localName } from './hcl.ts'
import { makers, NoResource, type Resource } from './resources.ts'
import { serviceMakers } from './services.ts'

const all = { ...makers, ...serviceMakers }

/** The operations that make a resource. */
export const terraformOperations: readonly string[] = Object.keys(all)

/**
 * Renders a request as resources. Terraform describes what there is to be, so only what creates or connects something
 * has a form; `label` is the name in the configuration, after that of the thing itself unless given.
 */
export function toTerraform(asked: Asked): Rendered {
  const make = all[asked.operation]
  if (!make) return { reason: { kind: 'describes' } }
  try {
    const resources = make((asked.body ?? {}) as Record<string, unknown>, asked.params ?? {}, asked.afterwards ?? [])
    return { text: resources.map(textOf).join('\n\n') }
  } catch (error) {
    if (error instanceof NoResource) return { reason: error.reason }
    throw error
  }
}

const textOf = ({ type, label, body }: Resource) => blockText(['resource', type, label], body)

/** The types of resources by the family of the API; certificates have one for each kind. */
const types: Readonly<Record<string, string>> = {
  firewalls: 'firewall',
  floating_ips: 'floating_ip',
  images: 'snapshot',
  load_balancers: 'load_balancer',
  networks: 'network',
  placement_groups: 'placement_group',
  primary_ips: 'primary_ip',
  servers: 'server',
  ssh_keys: 'ssh_key',
  volumes: 'volume',
  zones: 'zone',
}

/** The block that takes over what exists; undefined for what Terraform has no resource for. */
export function toTerraformImport(
  family: string,
  { id, name, type }: { readonly id: number; readonly name?: string | null; readonly type?: string },
): string | undefined {
  const kind = family === 'certificates' ? `${type}_certificate` : types[family]
  if (!kind || (family === 'images' && type !== 'snapshot')) return undefined
  return `import {\n  to = hcloud_${kind}.${localName(name)}\n  id = "${id}"\n}`
}
