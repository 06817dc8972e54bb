/**
 * Says who comes in from outside and from within, in a network of its own where 203.0.113.7 is an address of this machine: a
 * caller of that address is neither this machine's nor a private one.
 */
import { once } from 'node:events'
import { accountFor, DoorsFixture, password } from './doors.ts'

const outside = '203.0.113.7'
const fixture = new DoorsFixture()
try {
  await fixture.makeKey()
  fixture.sshPort = await fixture.doors.openSsh({ host: '0.0.0.0', port: 0 })
  const port = await fixture.doors.openWebdav({ host: '0.0.0.0', port: 0 })
  const box = fixture.addBox()
  const account = await accountFor(fixture)
  const authorization = `Basic ${Buffer.from(`u1:${password}`).toString('base64')}`
  const byWebdav = async (host: string) =>
    (await fetch(`http://${host}:${port}/`, { method: 'OPTIONS', headers: { authorization } })).status
  const bySsh = async (host: string) => {
    const args = ['-p', `${fixture.sshPort}`, ...fixture.options(), `u1@${host}`, 'pwd']
    return (await fixture.run('ssh', args)).stdout.trim()
  }
  const comesIn = async (host: string) => [await byWebdav(host), await bySsh(host)]

  fixture.set(box, account)
  const closed = { outside: await comesIn(outside), within: await comesIn('127.0.0.1') }
  fixture.set(box, { ...account, isReachableExternally: true })
  const open = { outside: await comesIn(outside), within: await comesIn('127.0.0.1') }
  const stay = async (host: string) => {
    const child = fixture.start('ssh', ['-p', `${fixture.sshPort}`, ...fixture.options(), `u1@${host}`, 'cat'])
    const ended = once(child, 'exit')
    child.stdin.write('heard')
    await once(child.stdout, 'data')
    return { child, ended }
  }
  const [guest, own] = [await stay(outside), await stay('127.0.0.1')]
  fixture.set(box, account)
  await guest.ended
  own.child.stdin.write('still')
  const [heard] = await once(own.child.stdout, 'data')
  own.child.stdin.end()
  await own.ended
  console.log(JSON.stringify({ closed, open, heard: String(heard) }))
} finally {
  fixture.close()
}
