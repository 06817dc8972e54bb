/** Servers in networks, on the wire (spec: Networks). */
import { type TProperties, Type } from 'typebox'
import { ActionReply } from '../../../kernel/actions/contract.ts'
import { defineEndpoints, Id } from '../../../kernel/contract/contract.ts'
import type { ErrorCode } from '../../../kernel/errors.ts'
import { mostAliases } from './domain.ts'

declare module '../../../kernel/errors.ts' {
  interface CallCodes {
    no_subnet_available: 422
    ip_not_available: 422
    networks_overlap: 422
    server_already_attached: 422
  }
}

const Address = Type.String({ maxLength: 64 })
const AliasIps = Type.Array(Address, { maxItems: mostAliases })

function onServer<const Path extends string, Body extends TProperties>(
  path: Path,
  summary: string,
  body: Body,
  errors: readonly ErrorCode[],
) {
  const row = { method: 'POST', path, summary, section: 'Networks', status: 201, reply: ActionReply } as const
  return {
    ...row,
    body: Type.Object(body, { additionalProperties: false }),
    errors: ['locked', ...errors] as readonly ErrorCode[],
  }
}

export const memberEndpoints = defineEndpoints({
  attachToNetwork: onServer(
    '/servers/{id}/actions/attach_to_network',
    'Attach a server to a network',
    {
      network: Id,
      ip: Type.Optional(Address),
      ip_range: Type.Optional(Address),
      alias_ips: Type.Optional(AliasIps),
    },
    [
      'resource_limit_exceeded',
      'server_already_attached',
      'networks_overlap',
      'no_subnet_available',
      'ip_not_available',
    ],
  ),
  detachFromNetwork: onServer(
    '/servers/{id}/actions/detach_from_network',
    'Detach a server from a network',
    { network: Id },
    ['service_error'],
  ),
  changeAliasIps: onServer(
    '/servers/{id}/actions/change_alias_ips',
    'Replace the alias addresses of a server in a network',
    { network: Id, alias_ips: AliasIps },
    ['service_error', 'ip_not_available'],
  ),
})
