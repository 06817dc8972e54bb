/** The forms of zones and managed certificates. */
import type { Asked } from '../../../../console/commands/request.ts'
import type { Life } from './life.ts'
import { button, form, nasty, on, remove, type Step, shared, txt } from './steps.ts'

/** An installation has each zone once. */
const zoneOf = ({ name }: Life) => `${name}.example`
const copyOf = ({ name }: Life) => `copy-of-${name}.example`
const set = (of: Life, name: string, type: string) => ({ id_or_name: zoneOf(of), rr_name: name, rr_type: type })
const inZone = (of: Life, operation: string, body: object): Asked => ({
  operation,
  params: { id_or_name: zoneOf(of) },
  body,
})

const zonefile = (more: string) =>
  [
    '@ 3600 IN SOA ns1.a.example. me.a.example. 1 86400 10800 3600000 3600',
    '@ 3600 IN NS ns1.a.example.',
    more,
    '',
  ].join('\n')

const labels = (of: Life, wanted: Readonly<Record<string, string>>) => inZone(of, 'zones_update', { labels: wanted })
const ofZone = (of: Life) => of.one('zones', zoneOf(of)).labels

export const names: readonly Step[] = [
  form('zones/new.tsx NewZonePage', (of) => ({
    operation: 'zones_create',
    body: {
      name: zoneOf(of),
      mode: 'primary',
      ttl: 600,
      zonefile: zonefile(`a 300 IN TXT ${txt} ; it's $(touch ran)`),
      labels: { tier: 'front' },
    },
  })),
  form(
    'zones/new.tsx NewZonePage',
    (of) => ({
      operation: 'zones_create',
      body: {
        name: copyOf(of),
        mode: 'secondary',
        primary_nameservers: [
          { address: '203.0.113.9', port: 5353, tsig_algorithm: 'hmac-sha256', tsig_key: 'c2VjcmV0Cg==' },
        ],
      },
    }),
    { secrets: { tsig_key: 'c2VjcmV0Cg==' } },
  ),
  form('zones/settings.tsx Setting', (of) => inZone(of, 'zones_changeTtl', { ttl: 7200 })),
  form('zones/settings.tsx Setting', (of) => labels(of, { tier: 'back', more: '' }), { labels: ofZone }),
  form('zones/settings.tsx Setting', (of) => ({
    operation: 'zones_changePrimaryNameservers',
    params: { id_or_name: copyOf(of) },
    body: { primary_nameservers: [{ address: '203.0.113.10' }, { address: '2001:db8::9', port: 54 }] },
  })),
  form(
    'shared/acts-dialogs.tsx LabelsDialog',
    (of) => on(of, 'zones', zoneOf(of), 'update', { labels: { tier: 'back' } }),
    {
      labels: ofZone,
    },
  ),
  ...[true, false].map((isOn) => button((of) => on(of, 'zones', zoneOf(of), 'changeProtection', { delete: isOn }))),
  form('zones/rrset-editor.tsx RrsetEditor', (of) =>
    inZone(of, 'zones_createRrset', {
      name: 'note',
      type: 'TXT',
      records: [{ value: txt, comment: nasty }, { value: '"plain"' }],
      ttl: 300,
    }),
  ),
  form('zones/rrset-editor.tsx RrsetEditor', (of) => [
    { operation: 'zones_setRecords', params: set(of, 'note', 'TXT'), body: { records: [{ value: txt }] } },
    { operation: 'zones_changeRrsetTtl', params: set(of, 'note', 'TXT'), body: { ttl: null } },
  ]),
  form('zones/rrset-editor.tsx RrsetEditor', (of) => ({
    operation: 'zones_changeRrsetTtl',
    params: set(of, 'note', 'TXT'),
    body: { ttl: 120 },
  })),
  ...[true, false].map((isOn) =>
    button((of) => ({
      operation: 'zones_changeRrsetProtection',
      params: set(of, 'note', 'TXT'),
      body: { change: isOn },
    })),
  ),
  form('zones/records.tsx useRrsetActs', (of) => ({ operation: 'zones_removeRrset', params: set(of, 'note', 'TXT') })),
  form('zones/import.tsx Import', (of) =>
    inZone(of, 'zones_importZonefile', { zonefile: zonefile(`b 300 IN TXT ${txt} ; ${nasty}\nc IN A 192.0.2.7`) }),
  ),
  form('certificates/new.tsx NewCertificatePage', (of) => ({
    operation: 'certificates_create',
    body: {
      name: 'managed',
      type: 'managed',
      domain_names: [zoneOf(of), `*.${zoneOf(of)}`],
      labels: { tier: 'front' },
    },
  })),
  form(
    'certificates/new.tsx NewCertificatePage',
    (of) => ({
      operation: 'certificates_create',
      body: { name: 'nowhere', type: 'managed', domain_names: [`${of.name}.nowhere.test`] },
    }),
    { fails: true },
  ),
  { ...button((of) => on(of, 'certificates', 'nowhere', 'retry')), fails: true },
  ...shared('certificates', 'managed'),
  remove('certificates', 'nowhere'),
  form('shared/acts-dialogs.tsx DeleteDialog', (of) => on(of, 'zones', zoneOf(of), 'remove')),
]
