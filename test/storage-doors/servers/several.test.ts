/** Servers that share a database and a directory: what one of them changes is so at the doors of the other one. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { boxBody } from '../../../src/families/storage-boxes/proof.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../../kit/database/postgres.ts'
import { onPostgres } from '../../kit/engines.ts'
import { program } from '../../program/kit/program.ts'
import { missing, password } from '../kit/doors.ts'
import { act, ask, clients, makeBox, open, sftpByPassword, start, until } from '../kit/server.ts'

const skip = onPostgres.skip ?? missing('sftp', 'ssh', 'sshpass', 'ssh-keygen')
const place = program('several')
after(closeAdmin)

test('the doors of each server know within moments what an action at another one has changed', { skip }, async (t) => {
  const database = await createDatabase(await postgresUrl())
  t.after(() => database.drop())
  const shared = ['--key-file', join(place.folder, 'key'), '--storage', join(place.folder, 'files')]
  const first = await start(place, 'first', database.url, ...shared)
  const second = await start(place, 'second', database.url, ...shared)
  const fixture = await clients(t)
  const both = [first, second]
  const { id, username } = await makeBox(
    first.served,
    boxBody({ password, access_settings: open, ssh_keys: [await fixture.publicKey()] }),
  )
  const at = `/storage_boxes/${id}`
  const change = (path: string, body: object) => act(first.served, 'POST', `${at}${path}`, body)
  /** Long before they are told of everything again, which is a minute after the start and later. */
  const everywhere = async (is: (server: (typeof both)[number]) => Promise<boolean>) => {
    for (const server of both) await until(() => is(server), 15_000)
  }
  const bySftp = (user: string, batch: string, typed = password) =>
    everywhere(async ({ sshPort }) => {
      fixture.sshPort = sshPort
      return (await sftpByPassword(fixture, user, `${batch}\nbye\n`, typed)).stdout.includes('there')
    })
  const byWebdav = (status: number) =>
    everywhere(async ({ webdav }) => {
      const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
      return (await fetch(`${webdav}/there`, { headers: { authorization } })).status === status
    })
  const letsIn = async (isIn: boolean) =>
    everywhere(async ({ sshPort }) => {
      fixture.sshPort = sshPort
      return ((await fixture.sftp(username, 'ls\n')).code === 0) === isIn
    })

  await letsIn(true)
  const local = join(fixture.folder, 'clients', 'there')
  writeFileSync(local, 'hello')
  assert.equal((await fixture.sftp(username, `mkdir team\nput ${local}\nput ${local} team/there\n`)).code, 0)
  await byWebdav(200)
  await change('/actions/update_access_settings', { webdav_enabled: false, zfs_enabled: true })
  await byWebdav(401)
  await act(first.served, 'POST', `${at}/snapshots`, {})
  await everywhere(async ({ sshPort }) => {
    fixture.sshPort = sshPort
    return (await fixture.sftp(username, 'ls .zfs/snapshot/*/there\n')).code === 0
  })

  const given = { home_directory: 'team', password: `${password}-2`, access_settings: { ...open, readonly: false } }
  const { subaccount } = await change('/subaccounts', given)
  await bySftp(`${username}-sub1`, 'ls', given.password)
  const ofSub = `/subaccounts/${subaccount.id}/actions`
  await change(`${ofSub}/reset_subaccount_password`, { password: `${password}-3` })
  await bySftp(`${username}-sub1`, 'ls', `${password}-3`)
  await change(`${ofSub}/update_access_settings`, { ...open, readonly: true })
  await everywhere(async ({ sshPort }) => {
    fixture.sshPort = sshPort
    const { stderr } = await sftpByPassword(fixture, `${username}-sub1`, `put ${local} new\nrm new\n`, `${password}-3`)
    return /denied|Failure|Read-only/i.test(stderr)
  })

  const stays = fixture.start('ssh', ['-p', `${second.sshPort}`, ...fixture.options(), `${username}@127.0.0.1`, 'cat'])
  const ended = once(stays, 'exit')
  stays.stdin.write('heard')
  await once(stays.stdout, 'data')
  await change('/actions/update_access_settings', { ssh_enabled: false })
  await letsIn(false)
  await ended
  await change('/actions/update_access_settings', { ssh_enabled: true })
  await letsIn(true)

  await act(first.served, 'DELETE', at)
  await letsIn(false)
  assert.deepEqual((await ask(second.served, 'GET', '/storage_boxes')).storage_boxes, [])
  for (const { served } of both) assert.deepEqual(served.log(), [])
  for (const { served } of both) await served.stop()
})
