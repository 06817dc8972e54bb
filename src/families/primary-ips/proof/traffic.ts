import { anyLabels, anyName, anyProtection, anyRename, noBody, type Proof } from '../../../../test/kit/proof.ts'
import { anyReverseName } from '../../addresses/proof.ts'
import { to } from './samples.ts'

export const traffic: Proof['traffic'] = {
  kind: 'primary_ip',
  requests: {
    'POST /primary_ips': async (draw) => {
      const place = draw.number(2) === 0 ? { location: 'fsn1' } : { assignee_id: (await draw.any('servers')).id }
      const type = draw.oneOf(['ipv4', 'ipv4', 'ipv6'])
      return { type, name: anyName('p', draw), labels: anyLabels(draw), auto_delete: draw.number(2) === 0, ...place }
    },
    'PUT /primary_ips/{primary_ips}': (draw, target) =>
      draw.number(2) === 0 ? { auto_delete: draw.number(2) === 0 } : anyRename('p')(draw, target),
    'DELETE /primary_ips/{primary_ips}': noBody,
    'POST /primary_ips/{primary_ips}/actions/assign': async ({ any }) => to((await any('servers')).id),
    'POST /primary_ips/{primary_ips}/actions/unassign': noBody,
    'POST /primary_ips/{primary_ips}/actions/change_dns_ptr': anyReverseName,
    'POST /primary_ips/{primary_ips}/actions/change_protection': anyProtection,
    'POST /servers/{servers}/actions/change_dns_ptr': async (draw, target) =>
      anyReverseName(draw, target.public_net.ipv4 ?? (await draw.any('primary_ips'))),
  },
  adds: {
    async 'POST /servers'({ any }) {
      const { id, type, assignee_id } = await any('primary_ips')
      return assignee_id === null ? { public_net: { [type]: id } } : {}
    },
  },
}
