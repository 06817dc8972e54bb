/** Reverse names of the addresses of Load Balancers, on request. */
import { recordOf } from '../../../kernel/actions/store.ts'
import type { Calls } from '../../../kernel/contract/contract.ts'
import { invalidInput } from '../../../kernel/errors.ts'
import { act } from '../../../kernel/resource/work.ts'
import type { Platform } from '../../../platform.ts'
import { parseAddress } from '../../../protocols/net/ip.ts'
import { type NamedAddress, withReverseName } from '../../addresses/domain.ts'
import { renameForBalancer } from '../../primary-ips/effects.ts'
import { changeDnsPtr } from '../actions.ts'
import { addressIn } from '../domain.ts'
import { loadBalancers } from '../store.ts'
import type { addressEndpoints } from './contract.ts'
import { announceName } from './store.ts'

/** Gives an address of a Load Balancer a reverse name, or its default one. Errors: `invalid_input`. */
export const rename = (platform: Platform, call: Calls<typeof addressEndpoints>['changeDnsPtr']) =>
  act(platform, loadBalancers, call, async (tx, balancer) => {
    const { scope, body } = call
    const type = typeOf(body.ip, balancer)
    const primaryId = balancer.primaryIps[type]
    if (primaryId === null) {
      // An IPv6 network is named here as the only address of it that is in use.
      const ip = type === 'ipv4' ? balancer.ipv4 : `${addressIn(balancer.ipv6)}/128`
      const address: NamedAddress = { type, ip, reverseNames: balancer.reverseNames }
      const names = withReverseName(address, body, { defaults: platform.defaultNames, nowMs: tx.now })
      await loadBalancers.set(tx, scope, balancer.id, { dns_ptr: JSON.stringify(names) })
      await announceName(tx, balancer[type])
    } else {
      await renameForBalancer(tx, scope, primaryId, body, platform.defaultNames)
    }
    return recordOf(changeDnsPtr, loadBalancers.ref(balancer.id))
  })

/** Errors: `invalid_input` for what is no address of the Load Balancer. */
function typeOf(text: string, { ipv4, ipv6 }: { readonly ipv4: string; readonly ipv6: string }): 'ipv4' | 'ipv6' {
  const parsed = parseAddress(text)
  if (parsed.ok && parsed.address === ipv4) return 'ipv4'
  if (parsed.ok && parsed.address === addressIn(ipv6)) return 'ipv6'
  throw invalidInput([{ field: 'ip', message: `must be ${ipv4} or ${addressIn(ipv6)}` }])
}
