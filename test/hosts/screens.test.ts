/** The console of a server on real hosts: what stands on its screen, and what typing does. */
import assert from 'node:assert/strict'
import { inTime } from '../../src/kernel/actions/in-time.ts'
import type { Stage } from '../conformance/stage.ts'
import { type Viewer, view } from '../stubs/rfb-client.ts'
import { onLab } from './kit/place.ts'

/** How long a guest may take to say something, in milliseconds. */
const patienceMs = 120_000

/** Waits until a screen shows something. Errors: one with what it shows instead. */
async function shows(viewer: Viewer, text: string | RegExp): Promise<void> {
  await inTime(viewer.shows(text), patienceMs).catch((cause) => {
    throw new Error(`The screen shows no ${text}, but:\n${viewer.text}`, { cause })
  })
}

async function look(stage: Stage, id: number): Promise<Viewer> {
  const { wss_url: url, password } = await stage.command(id, 'request_console')
  return inTime(view(url, password), patienceMs) as Promise<Viewer>
}

async function logIn(viewer: Viewer, name: string, password: string): Promise<void> {
  await shows(viewer, `${name} login:`)
  viewer.type('root\n')
  await shows(viewer, 'Password:')
  viewer.type(`${password}\n`)
  await shows(viewer, `root@${name}:~#`)
}

onLab('the console of a server lets root in, for all who look, until the server stops', async (stage, place) => {
  const { type: server_type, image, location } = place
  const wanted = { name: 'screen', server_type, image, location }
  const { server, root_password: password } = await stage.post('/servers', wanted)
  const viewer = await look(stage, server.id)
  await logIn(viewer, 'screen', password)
  assert.ok(!viewer.text.includes(password), 'passwords are not shown')
  viewer.type('clear; echo $((6 * 7)) is the answer\n')
  await shows(viewer, /^42 is the answer$/m)

  const other = await look(stage, server.id)
  await shows(other, /^42 is the answer$/m)
  await viewer.close()
  other.type('sleep 1000\n')
  await shows(other, 'sleep 1000')
  other.press(0xffe3, 0x63)
  await shows(other, /sleep 1000\n\^C\n+root@screen:~#$/)
  const ended = inTime(other.ended(), patienceMs)
  await stage.command(server.id, 'poweroff')
  await ended

  await stage.command(server.id, 'poweron')
  const again = await look(stage, server.id)
  await logIn(again, 'screen', password)
  const off = inTime(again.ended(), patienceMs)
  again.type('poweroff\n')
  await off
})
