import {
  keyOf,
  named,
  namedState,
  protects,
  removes,
  showsNamed,
  showsProtected,
  when,
  yesOrNo,
} from '../../../../test/kit/crash.ts'
import type { Proof } from '../../../../test/kit/proof.ts'
import { to } from './samples.ts'

/** Whether the address goes with the server that has it. */
const goesWith = (auto: string | undefined, server: string | undefined) => (auto === 'yes' && server ? server : '')

export const crash: Proof['crash'] = {
  shows: {
    primary_ips(ip) {
      const server = keyOf('servers', ip.assignee_id)
      const auto = yesOrNo(ip.auto_delete)
      // A server makes addresses of its own, which bear its id.
      if (ip.labels.version === undefined && goesWith(auto, server)) return undefined
      const dns = ip.dns_ptr[0]?.dns_ptr ?? ''
      return { ...showsNamed(ip), server, auto, with: goesWith(auto, server), dns, ...showsProtected(ip) }
    },
    servers: ({ public_net }) => ({ reverse: public_net.ipv4?.dns_ptr ?? '' }),
  },
  writes: {
    'POST /primary_ips': (draw) => {
      const server = draw.oneOf([false, true]) ? draw.any('servers', ({ power }) => power === 'off') : undefined
      const place = server ? { assignee_id: server.id, assignee_type: 'server' } : { location: 'fsn1' }
      const auto = draw.oneOf(['yes', 'no'])
      const makes = { auto, server: server?.key ?? '', with: goesWith(auto, server?.key), protected: 'no' }
      return {
        body: { ...named(draw), type: 'ipv4', auto_delete: auto === 'yes', ...place },
        makes: { ...namedState(draw), ...makes },
      }
    },
    'PUT /primary_ips/{primary_ips}': (draw, { state }) => {
      const auto = state.protected === 'yes' ? 'no' : draw.oneOf(['yes', 'no'])
      return {
        body: { ...named(draw), auto_delete: auto === 'yes' },
        to: { ...namedState(draw), auto, with: goesWith(auto, state.server) },
      }
    },
    'DELETE /primary_ips/{primary_ips}': when(({ server }) => !server, removes),
    'POST /primary_ips/{primary_ips}/actions/assign': when(
      ({ server }) => !server,
      ({ any }, { state }) => {
        const { id, key } = any('servers', ({ power }) => power === 'off')
        return { body: to(id), to: { server: key, with: goesWith(state.auto, key) } }
      },
    ),
    'POST /primary_ips/{primary_ips}/actions/unassign': when(
      ({ server }) => Boolean(server),
      () => ({ to: { server: '', with: '' } }),
    ),
    'POST /primary_ips/{primary_ips}/actions/change_dns_ptr': ({ version }, { shown: { ip } }) => ({
      body: { ip, dns_ptr: `${version}.example.com` },
      to: { dns: `${version}.example.com` },
    }),
    'POST /primary_ips/{primary_ips}/actions/change_protection': when(({ auto }) => auto === 'no', protects),
    'POST /servers/{servers}/actions/change_dns_ptr': ({ version }, { shown: { public_net } }) =>
      public_net.ipv4 === null
        ? undefined
        : {
            body: { ip: public_net.ipv4.ip, dns_ptr: `${version}.example.com` },
            to: { reverse: `${version}.example.com` },
          },
  },
}
