import { anyLabels, anyName, anyRename, noBody, type Proof } from '../../../../test/kit/proof.ts'
import { privateOnly, serverBody } from './samples.ts'

const nets = [{}, {}, { public_net: { enable_ipv6: false } }, { public_net: { enable_ipv4: false } }, privateOnly]

export const traffic: Proof['traffic'] = {
  kind: 'server',
  requests: {
    'POST /servers': (draw) => ({
      ...serverBody(anyName('s', draw), { labels: anyLabels(draw) }),
      start_after_create: draw.number(3) > 0,
      ...draw.oneOf(nets),
    }),
    'PUT /servers/{servers}': anyRename('s'),
    'DELETE /servers/{servers}': noBody,
    'POST /servers/{servers}/actions/poweron': noBody,
    'POST /servers/{servers}/actions/poweroff': noBody,
    'POST /servers/{servers}/actions/shutdown': noBody,
    'POST /servers/{servers}/actions/reboot': noBody,
    'POST /servers/{servers}/actions/reset': noBody,
    'POST /servers/{servers}/actions/rebuild': ({ oneOf }) => ({ image: oneOf(['debian-12', 'debian-13']) }),
    'POST /servers/{servers}/actions/enable_backup': noBody,
    'POST /servers/{servers}/actions/disable_backup': noBody,
    'POST /servers/{servers}/actions/change_type': ({ oneOf, number }) => ({
      server_type: oneOf(['cpx22', 'cpx32']),
      upgrade_disk: number(2) === 0,
    }),
    'POST /servers/{servers}/actions/enable_rescue': () => ({}),
    'POST /servers/{servers}/actions/disable_rescue': noBody,
    'POST /servers/{servers}/actions/reset_password': noBody,
    'POST /servers/{servers}/actions/request_console': noBody,
    'POST /servers/{servers}/actions/change_protection': ({ oneOf }) => {
      const isOn = oneOf([true, false])
      return { delete: isOn, rebuild: isOn }
    },
  },
}
