/** The block that leads Terraform to an API. */
import { blockText, Expression } from './hcl.ts'

/**
 * Names both endpoints: a provider that has only one asks the public service for Storage Boxes, with the same token.
 * `token` is an expression.
 */
export function providerBlock(api: string, token?: string): string {
  const attributes = { endpoint: api, endpoint_hetzner: api, token: token === undefined ? null : new Expression(token) }
  return blockText(['provider', 'hcloud'], { attributes })
}
