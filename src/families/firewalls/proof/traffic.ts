import { anyLabels, anyName, anyRename, type Draw, noBody, type Proof } from '../../../../test/kit/proof.ts'
import { allow, remove, toSelector, toServer } from './samples.ts'

const ruleSets = [
  [],
  [allow('80')],
  [allow('22', ['10.0.0.0/8']), allow('any')],
  [{ direction: 'out', protocol: 'icmp', destination_ips: ['::/0'] }],
  [allow('443'), { direction: 'out', protocol: 'udp', port: '1-53', destination_ips: ['192.0.2.0/24'] }],
]
const selectors = ['env', 'env=dev', '!env', 'tier in (1,2)', 'env!=prod,tier']

/** Up to two servers, in any order, or those of a selector. */
async function anyTargets({ any, number, oneOf }: Draw): Promise<object[]> {
  const toAny = async () => toServer((await any('servers')).id)
  return [[], [toSelector(oneOf(selectors))], [await toAny()], [await toAny(), await toAny()]][number(4)]!
}

export const traffic: Proof['traffic'] = {
  kind: 'firewall',
  requests: {
    'POST /firewalls': async (draw) => ({
      name: anyName('f', draw),
      labels: anyLabels(draw),
      rules: draw.oneOf(ruleSets),
      apply_to: draw.number(2) === 0 ? [toSelector(draw.oneOf(selectors))] : await anyTargets(draw),
    }),
    'PUT /firewalls/{firewalls}': anyRename('f'),
    'DELETE /firewalls/{firewalls}': noBody,
    'POST /firewalls/{firewalls}/actions/set_rules': ({ oneOf }) => ({ rules: oneOf(ruleSets) }),
    'POST /firewalls/{firewalls}/actions/apply_to_resources': async (draw) => ({ apply_to: await anyTargets(draw) }),
    'POST /firewalls/{firewalls}/actions/remove_from_resources': async (draw) => ({
      remove_from: await anyTargets(draw),
    }),
  },
  adds: { 'POST /servers': async ({ any }) => ({ firewalls: [{ firewall: (await any('firewalls')).id }] }) },
  release: (api, { id, applied_to }) => remove(api, id, ...applied_to),
}
