/** The unmodified Terraform provider brings up web servers behind a Load Balancer on hosts, which answers from outside. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { endpointsAt, findProgram, installProvider, skipWithout } from '../clients/kit/clients.ts'
import { openCloud } from '../clients/terraform/terraform.ts'
import { untilNothingIsLeft } from '../conformance/place.ts'
import { clear } from '../conformance/suite.ts'
import { until } from '../kit/database/bare-database.ts'
import { ask } from '../load-balancers/kit/clients.ts'
import { token } from '../program/kit/program.ts'
import { theLab } from './kit/cluster.ts'
import { inLab } from './kit/place.ts'
import { endpoint, openProcess } from './kit/process.ts'
import { webServer } from './kit/web.ts'

test('Terraform brings up servers and a Load Balancer that answers', inLab, async (t) => {
  const terraform = findProgram('terraform')
  const provider = terraform && (await installProvider())
  if (!terraform || !provider) return skipWithout(t, 'Terraform, or Go to build its provider, is not installed')
  const place = await openProcess(theLab())
  const { folder } = place
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, ...endpointsAt(endpoint), HCLOUD_TOKEN: token }
  const workspace = openCloud(terraform, provider, { folder, env }).open('web')
  workspace.write('main.tf', readFileSync(join(import.meta.dirname, 'web.tf'), 'utf8'))
  workspace.write('user-data.yaml', webServer('web NUMBER'))
  try {
    const { added } = await workspace.apply()
    const host = String(workspace.outputs().address)
    const bodies = new Set<string>()
    const answer = async () => {
      const { status, body } = await ask({ host, port: 80 }).catch(() => ({ status: 0, body: '' }))
      if (status === 200) bodies.add(body)
      return bodies.size === 2
    }
    await until(answer, 'both servers have answered')
    assert.deepEqual([...bodies].sort(), ['web 0', 'web 1'])
    await workspace.planIsEmpty()
    assert.equal((await workspace.destroy()).destroyed, added)
  } finally {
    await clear(place)
  }
  await untilNothingIsLeft(place)
})
