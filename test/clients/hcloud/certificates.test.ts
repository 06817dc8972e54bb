/** The hcloud command line with certificates, and with zones where it knows them. */
import assert from 'node:assert/strict'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chain, selfSigned } from '../../kit/samples/certificates.ts'
import {
  deletes,
  leavesNothing,
  lists,
  misused,
  refused,
  type Step,
  type Story,
  shows,
  since,
  succeeds,
  tells,
  works,
} from './hcloud.ts'

const { certificate, private_key } = chain(2)
const pair = '--cert-file cert.pem --key-file key.pem'
const fingerprint = /^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/

const uploaded: Story = {
  title: 'manages uploaded certificates',
  files: { 'cert.pem': certificate, 'key.pem': private_key, 'other.pem': selfSigned('other').private_key },
  steps: [
    works(`certificate create --name web ${pair}`, 'Certificate {certificate web} created'),
    works('certificate add-label web env=test'),
    shows('certificate web', {
      type: 'uploaded',
      certificate,
      fingerprint,
      domain_names: ['www.example.com'],
      used_by: [],
    }),
    works('certificate list', '{certificate web} web uploaded www.example.com'),
    works(
      'certificate describe web',
      'uploaded',
      '{certificate web fingerprint}',
      'www.example.com',
      'Certificate unused',
      'env',
    ),
    works('certificate update web --name site'),
    works('certificate add-label site stage=one'),
    lists('certificate list -l env=test,stage=one', ['site']),
    works('certificate remove-label site env'),
    shows('certificate {certificate site}', { labels: { stage: 'one' } }),
    refused(`certificate create --name site ${pair}`, 'uniqueness_error', 'certificate name is already used'),
    refused(
      'certificate create --name x --cert-file cert.pem --key-file other.pem',
      'invalid_input',
      "invalid input in field 'private_key'",
    ),
    since(44, refused('certificate retry site', 'unsupported_error', 'certificate not retryable')),
    deletes('certificate', 'site'),
    lists('certificate list', []),
  ],
}

/** Older versions know no zones, so that these are made without the client. */
const makesZone =
  (name: string): Step =>
  async ({ service: { env } }) => {
    const headers = { authorization: `Bearer ${env.HCLOUD_TOKEN}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ name, mode: 'primary' })
    assert.equal((await fetch(`${env.HCLOUD_ENDPOINT}/zones`, { method: 'POST', headers, body })).status, 201)
  }

const managed: Story = {
  title: 'manages managed certificates',
  steps: [
    makesZone('managed.example'),
    works('certificate create --type managed --name auto --domain managed.example --domain *.managed.example'),
    shows('certificate auto', {
      domain_names: ['managed.example', '*.managed.example'],
      status: { issuance: 'completed', renewal: 'unavailable', error: null },
      fingerprint,
    }),
    works('certificate describe auto', 'managed', 'completed', 'unavailable', 'Certificate unused'),
    misused('certificate create --type managed --name late --domain late.example', /dns_zone_not_found/),
    makesZone('late.example'),
    since(
      44,
      works('certificate retry late'),
      shows('certificate late', { status: { issuance: 'completed' } }),
      refused('certificate retry late', 'unsupported_error', 'certificate not retryable'),
    ),
    deletes('certificate', 'auto', 'late'),
    lists('certificate list', []),
  ],
}

const zones: Story = {
  title: 'manages zones and their records, where it knows them',
  steps: [
    since(
      54,
      works('zone create --name zones.example'),
      works('zone enable-protection zones.example delete'),
      works('zone change-ttl zones.example --ttl 600'),
      works('zone add-records zones.example www A --record 198.51.100.1 --record 198.51.100.2'),
      async (hcloud) => {
        const file = join(hcloud.service.folder, 'zone')
        writeFileSync(file, await succeeds(hcloud, 'zone export-zonefile zones.example'))
        appendFileSync(file, 'foobar\tIN\tA\t192.0.2.2\n')
      },
      works('zone import-zonefile zones.example --zonefile zone'),
      works('zone rrset change-ttl zones.example foobar A --ttl 1337'),
      works('zone rrset enable-protection zones.example foobar A change'),
      works('zone rrset add-label zones.example foobar A k=v'),
      works('zone rrset describe zones.example foobar A', '192.0.2.2', '1337'),
      refused('zone rrset delete zones.example foobar A', 'protected', 'RRSet(s) is/are change protected'),
      works('zone rrset disable-protection zones.example foobar A change'),
      works('zone rrset set-records zones.example foobar A --record 192.0.2.1'),
      works('zone rrset delete zones.example foobar A'),
      lists('zone rrset list zones.example', ['@/NS', '@/SOA', 'www/A'], 'id'),
      refused('zone delete zones.example', 'protected'),
      works('zone disable-protection zones.example delete'),
      deletes('zone', 'zones.example'),
    ),
  ],
}

await tells(import.meta.filename, [uploaded, managed, zones, leavesNothing('certificate')])
