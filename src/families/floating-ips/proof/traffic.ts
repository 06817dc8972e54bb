import { anyLabels, anyName, anyProtection, anyRename, noBody, type Proof } from '../../../../test/kit/proof.ts'
import { anyReverseName } from '../../addresses/proof.ts'

export const traffic: Proof['traffic'] = {
  kind: 'floating_ip',
  requests: {
    'POST /floating_ips': async (draw) => {
      const place = draw.number(2) === 0 ? { home_location: 'fsn1' } : { server: (await draw.any('servers')).id }
      const type = draw.oneOf(['ipv4', 'ipv4', 'ipv6'])
      return { type, name: anyName('ip', draw), labels: anyLabels(draw), ...place }
    },
    'PUT /floating_ips/{floating_ips}': anyRename('ip'),
    'DELETE /floating_ips/{floating_ips}': noBody,
    'POST /floating_ips/{floating_ips}/actions/assign': async ({ any }) => ({ server: (await any('servers')).id }),
    'POST /floating_ips/{floating_ips}/actions/unassign': noBody,
    'POST /floating_ips/{floating_ips}/actions/change_dns_ptr': anyReverseName,
    'POST /floating_ips/{floating_ips}/actions/change_protection': anyProtection,
  },
}
