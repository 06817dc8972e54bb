import assert from 'node:assert/strict'
import type { NoEndpoints, Proof, RandomBody, Snapshot } from '../../../test/kit/proof.ts'
import { cidrSize } from '../../protocols/net/ip.ts'

/** I4, I10: the addresses that resources of a table have are exactly those that the pool says are theirs. */
export async function checkHolders(found: Snapshot, table: 'primary_ip' | 'floating_ip'): Promise<void> {
  const claims = (await found.all('address')).filter(({ owner }) => owner?.startsWith(`${table}:`))
  const held = (await found.all(table)).map(({ ip, id, project_id }) => `${ip} ${table}:${id} ${project_id}`)
  const claimed = claims.map(({ ip, owner, project_id }) => `${ip} ${owner} ${project_id}`)
  assert.deepEqual(claimed.sort(), held.sort(), 'I4, I10: the owner of an address has it, and nobody else')
}

/** Gives an address of the target a reverse name, or takes it back. */
export const anyReverseName: RandomBody = ({ number }, { ip }) => {
  const host = number(12)
  return {
    ip: ip.replace('/64', host.toString(16)),
    dns_ptr: number(3) === 0 ? null : `h${host}.example.com`,
  }
}

/** So many addresses at the beginning of a pool are never given out. */
function firstOf(cidr: string, family: number): number {
  return family === 4 && cidrSize(cidr) > 2n ? 1 : 0
}

export const proof: Proof<NoEndpoints> = {
  consistency: {
    /** I4: every row of a pool is accounted for. */
    async rows(found) {
      const addresses = await found.all('address')
      const pools = await found.all('address_pool')
      const added = pools.reduce((sum, { cidr, family, next }) => sum + next - firstOf(cidr, family), 0)
      assert.equal(addresses.length, added, 'I4: pool = used + free + resting')
      const unowned = addresses.filter((row) => row.owner === null)
      for (const { project_id } of unowned) assert.equal(project_id, null, 'I4: a free address is of nobody')
    },
  },
}
