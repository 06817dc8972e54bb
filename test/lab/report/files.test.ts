/** The other forms of a report: requests as a HAR file, text, and JUnit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { frozen, reportsOf } from './lab.ts'

forEachDatabase('The requests of a run', (open) => {
  test('are a HAR file without secrets', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    const run = await reports.begin()
    const body = { name: 'one', server_type: 'cx23', image: 'debian-12', user_data: 'my own secret' }
    const { root_password } = await done(world.api.post('/servers', body))
    await world.api.post('/certificates', {
      name: 'bad',
      type: 'uploaded',
      private_key: 'another secret',
      certificate: 'x',
    })
    await world.api.get('/servers?name=one')
    const { text } = await reports.client.get(`${reports.url}/runs/${run}/har`)
    assert.equal(typeof root_password, 'string')
    for (const secret of ['my own secret', 'another secret', root_password, 'Bearer'])
      assert.ok(!text.includes(secret), `'${secret}' is in the file`)
    const [created, refused, listed] = JSON.parse(text).log.entries
    assert.deepEqual(JSON.parse(created.request.postData.text), { ...body, user_data: '(masked)' })
    assert.equal(JSON.parse(created.response.content.text).root_password, '(masked)')
    assert.equal(created.response.status, 201)
    assert.equal(created._wolke.operation, 'POST /servers')
    assert.equal(refused._wolke.code, JSON.parse(refused.response.content.text).error.code)
    assert.equal(listed.request.url, `${world.baseUrl}/servers?name=one`)
    assert.deepEqual(listed.request.queryString, [{ name: 'name', value: 'one' }])
    const authorization = listed.request.headers.find(({ name }: { name: string }) => name === 'authorization')
    assert.equal(authorization.value, '(masked)')
    assert.equal((await done(world.api.get('/servers?name=one'))).servers.length, 1)
  })

  test('are read in other forms by who accepts them', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    const run = await reports.begin('<&"run">')
    await done(world.api.post('/firewalls', { name: 'left & over' }))
    const read = (accept: string, query = '') =>
      reports.client.get(`${reports.url}/runs/${run}/report${query}`, { accept })
    const xml = await read('application/xml', '?fail_on=leftovers,unawaited,cost>1.00')
    assert.match(xml.headers.get('content-type')!, /^application\/xml/)
    assert.match(xml.text, /<testsuite name="&lt;&amp;&quot;run&quot;&gt;" tests="3" failures="1"/)
    assert.match(xml.text, /name="leftovers">\n +<failure message="firewall \d+ \(left &amp; over\)">/)
    assert.match(xml.text, /<testcase classname="wolke" name="cost&gt;1.00"\/>/)
    const { text } = await read('text/plain')
    assert.match(text, /^Run 1 \(<&"run">\), from .* to now\n1 request, of which 0 were polling \(0 %\)\n/)
    assert.match(text, /\nLeft over\n {2}firewall \d+ \(left & over\), created /)
    assert.match(text, /\n {2}FAILS: leftovers\n {2}holds: throttled\n/)
    assert.match((await read('application/json')).headers.get('content-type')!, /^application\/json/)
  })
})
