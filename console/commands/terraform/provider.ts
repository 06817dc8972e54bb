/** The block that leads Terraform to an API. */
import { storageUrlOf } from '../../../src/kernel/contract/bases.ts'
import { blockText, Expression } from './hcl.ts'

/**
 * Names both endpoints: a provider that has only one asks the public service for Storage Boxes, with the same token.
 * `token` is an expression.
 */
export function providerBlock(api: string, token?: string): string {
  const endpoints = { endpoint: api, endpoint_hetzner: storageUrlOf(api) }
  const attributes = { ...endpoints, token: token === undefined ? null : new Expression(token) }
  return blockText(['provider', 'hcloud'], { attributes })
}
