import {
  keyOf,
  named,
  namedState,
  protects,
  removes,
  showsNamed,
  showsProtected,
  when,
} from '../../../../test/kit/crash.ts'
import type { Proof } from '../../../../test/kit/proof.ts'

export const crash: Proof['crash'] = {
  shows: {
    floating_ips: (ip) => ({
      ...showsNamed(ip),
      description: ip.description,
      server: keyOf('servers', ip.server),
      dns: ip.dns_ptr[0]?.dns_ptr ?? '',
      ...showsProtected(ip),
    }),
  },
  writes: {
    'POST /floating_ips': (draw) => {
      const server = draw.oneOf([false, true]) ? draw.any('servers') : undefined
      const place = server ? { server: server.id } : { home_location: 'fsn1' }
      return {
        body: { ...named(draw), type: 'ipv4', description: draw.version, ...place },
        makes: { ...namedState(draw), description: draw.version, server: server?.key ?? '', protected: 'no' },
      }
    },
    'PUT /floating_ips/{floating_ips}': (draw) => ({
      body: { ...named(draw), description: draw.version },
      to: { ...namedState(draw), description: draw.version },
    }),
    'DELETE /floating_ips/{floating_ips}': when(({ server }) => !server, removes),
    'POST /floating_ips/{floating_ips}/actions/assign': (draw, { state }) => {
      const { id, key } = draw.any('servers')
      return key === state.server ? undefined : { body: { server: id }, to: { server: key } }
    },
    'POST /floating_ips/{floating_ips}/actions/unassign': when(
      ({ server }) => Boolean(server),
      () => ({ to: { server: '' } }),
    ),
    'POST /floating_ips/{floating_ips}/actions/change_dns_ptr': ({ version }, { shown: { ip } }) => ({
      body: { ip, dns_ptr: `${version}.example.com` },
      to: { dns: `${version}.example.com` },
    }),
    'POST /floating_ips/{floating_ips}/actions/change_protection': protects,
  },
}
