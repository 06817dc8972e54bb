/** Renders what requests make as a configuration of Terraform. */
import { terraform } from '../../generated/terraform.ts'
import type { Asked, Rendered } from '../request.ts'
import { blockText, localName } from './hcl.ts'
import { type Fields, type Make, NoResource, type Resource, type Terraform } from './resources.ts'

const families: Readonly<Record<string, Terraform>> = terraform
const all: Readonly<Record<string, Make>> = Object.fromEntries(
  Object.entries(families).flatMap(([family, { makers }]) =>
    Object.entries(makers).map(([key, make]) => [`${family}_${key}`, make]),
  ),
)

function connectionsOf(operation: string, body: Fields, made: Resource): readonly Resource[] {
  return Object.values(families).flatMap(({ connections }) => connections?.[operation]?.(body, made) ?? [])
}

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
    const body = (asked.body ?? {}) as Fields
    const resources = make(body, asked.params ?? {}, asked.afterwards ?? [])
    const connections = resources.flatMap((made) => connectionsOf(asked.operation, body, made))
    return { text: [...resources, ...connections].map(textOf).join('\n\n') }
  } catch (error) {
    if (error instanceof NoResource) return { reason: error.reason }
    throw error
  }
}

const textOf = ({ type, label, body }: Resource) => blockText(['resource', type, label], body)

/** The block that takes over what exists; undefined for what Terraform has no resource for. */
export function toTerraformImport(
  family: string,
  { id, name, type }: { readonly id: number; readonly name?: string | null; readonly type?: string },
): string | undefined {
  const kind = families[family]?.kindOf(type)
  if (!kind) return undefined
  return `import {\n  to = hcloud_${kind}.${localName(name)}\n  id = "${id}"\n}`
}
