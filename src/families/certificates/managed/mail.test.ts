import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase } from '../../../../test/kit/harness.ts'
import { openMailServer } from '../../../../test/stubs/smtp.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { changeOwner } from '../../../kernel/mail/outbox.ts'
import { parseSmtpUrl, smtpSender } from '../../../kernel/mail/smtp.ts'
import type { CertificateSummary } from '../domain.ts'
import { type IssuingFailure, tellOfFailure } from './mail.ts'

forEachDatabase('mail about managed certificates', (open) => {
  test('tells of each failure once, in words, in the transaction that records it', async (t) => {
    const server = await openMailServer()
    t.after(() => server.close())
    const send = smtpSender(parseSmtpUrl(server.url)!, 'cloud@example.com')
    const { db, app } = await open({ mail: { send } })
    const project = await acrossProjects(db.query)
      .selectFrom('project')
      .select('id')
      .orderBy('id')
      .executeTakeFirstOrThrow()
    const scope = { projectId: project.id }
    await db.transact((tx) => changeOwner(tx, scope, 'owner@example.org'))
    const managed: CertificateSummary = {
      id: 42,
      name: 'shop',
      domainNames: ['*.example.com'],
      fingerprint: null,
      notValidAfter: null,
    }
    const tell = (failure: IssuingFailure, shown = managed) =>
      db.transact((tx) => tellOfFailure(tx, scope, shown, failure))
    const code = 'caa_record_does_not_allow_ca'
    const end = '2027-02-01T00:00:00Z'
    for (let i = 0; i < 2; i++) await tell({ of: 'issuance', code, occurrence: 1 })
    await tell({ of: 'issuance', code: 'never heard of', occurrence: 2 })
    await tell({ of: 'renewal', code, occurrence: 3 }, { ...managed, notValidAfter: end })
    await app.mailer.run()
    const { received } = server
    const subjects = received.map((mail) => mail.header('subject'))
    assert.deepEqual(subjects.sort(), [
      'Issuance failed: certificate 42',
      'Issuance failed: certificate 42',
      'Renewal failed: certificate 42',
    ])
    const text = (index: number) => received[index]!.raw.replace(/=\r\n/g, '')
    const issuance = received.findIndex((_, i) => text(i).includes('A CAA record of a domain does not let'))
    assert.match(text(issuance), /hcloud certificate retry 42/)
    assert.ok(received.some((_, i) => text(i).includes('The cause is not known more closely.')))
    const renewal = received.findIndex((mail) => mail.header('subject')?.startsWith('Renewal'))
    assert.match(text(renewal), /the present certificate stays in use/)
    assert.match(text(renewal), new RegExp(`Valid until: ${end}[\\s\\S]*Code: ${code}`))
  })
})
