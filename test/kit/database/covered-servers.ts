/** Firewalls that cover many servers, written past the API: nobody waits for as many servers. */
import { insertApplication, putMatches } from '../../../src/families/firewalls/applications/store.ts'
import { firewalls } from '../../../src/families/firewalls/store.ts'
import { lockProject } from '../../../src/kernel/access/projects.ts'
import { parseSelector } from '../../../src/kernel/contract/selectors.ts'
import type { Transaction } from '../../../src/kernel/data/db.ts'
import type { ProjectScope } from '../../../src/kernel/scope.ts'

/** Adds firewalls whose selectors match so many servers each, of which replies say the ids alone; returns their ids. */
export async function coverServers(
  tx: Transaction,
  scope: ProjectScope,
  { count, servers }: { readonly count: number; readonly servers: number },
): Promise<readonly number[]> {
  const parsed = parseSelector('env=prod')
  if (!parsed.ok) throw new Error(parsed.message)
  await lockProject(tx, scope, 'update')
  const ids = await tx.drawIds(servers)
  const covering: number[] = []
  for (let number = 0; number < count; number++) {
    covering.push((await firewalls.insert(tx, scope, { name: `covering-${number}`, labels: {}, rules: '[]' })).id)
  }
  for (const firewallId of covering) {
    const applicationId = await insertApplication(tx, scope, firewallId, { selector: parsed.selector })
    await putMatches(tx, scope, { firewallId, applicationId }, ids)
  }
  return covering
}
