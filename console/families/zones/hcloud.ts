/** DNS zones and their records for the hcloud command line. */
import {
  actionForms,
  type Context,
  type Forms,
  labelsOf,
  listed,
  noCommand,
  noOption,
  noValue,
  protection,
  Refusal,
  usual,
  type Words,
} from '../../commands/hcloud/forms.ts'
import { optionOf } from '../../commands/hcloud/options.ts'
import type { Contract } from './contract.ts'

const zone = '{id_or_name}'
const inZone = ['id_or_name']
const rrset = [zone, '{rr_name}', '{rr_type}']
const inRrset = ['id_or_name', 'rr_name', 'rr_type']

/** Passes entries to hcloud as a file of JSON, without what is null. */
function fileOf(flag: string, entries: readonly object[]): Words {
  const told = entries.map((entry) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)))
  return { flag: [flag, '-'], input: JSON.stringify(told, null, 2) }
}

interface NewRecord {
  readonly value: string
  readonly comment?: string | null
}

/** Records as options; comments need a file. hcloud puts quotes around texts that have none. */
function recordsOf(type: unknown, given: readonly NewRecord[]): Words {
  if (type === 'TXT' && given.some(({ value }) => !/^"[\s\S]*"$/.test(value))) return noValue
  if (given.some(({ comment }) => comment)) return fileOf('--records-file', given)
  return given.flatMap(({ value }) => optionOf('--record', value))
}

const records = (given: readonly NewRecord[], { params }: Context<unknown>) => recordsOf(params.rr_type, given)
const nameservers = (given: readonly object[]) => fileOf('--primary-nameservers-file', given)
/** hcloud takes one at a time. */
const mode = (given: string | readonly string[]): Words => {
  const all = [given].flat()
  return all.length > 1 ? new Refusal('oneValue') : all.flatMap((one) => ['--mode', one])
}
const zonefile = (input: string): Words => ({ flag: ['--zonefile', '-'], input })

export const hcloud: Forms<Contract> = {
  ...actionForms,
  ...usual('zone', { mode }, zone),
  create: {
    words: ['zone', 'create'],
    fields: {
      name: '--name',
      mode: '--mode',
      ttl: '--ttl',
      labels: '--label',
      primary_nameservers: nameservers,
      rrsets: (given) => (given.length === 0 ? [] : new Refusal('ownCommand', 'hcloud zone rrset create')),
      zonefile,
    },
  },
  update: { words: [], fields: { labels: labelsOf('zone', inZone) } },
  changeTtl: { words: ['zone', 'change-ttl', zone], fields: { ttl: '--ttl' } },
  changePrimaryNameservers: {
    words: ['zone', 'change-primary-nameservers', zone],
    fields: { primary_nameservers: nameservers },
  },
  changeProtection: { words: [], fields: protection('zone', ['delete'], inZone) },
  exportZonefile: { words: ['zone', 'export-zonefile', zone], fields: {} },
  importZonefile: { words: ['zone', 'import-zonefile', zone], fields: { zonefile } },
  listRrsets: {
    words: ['zone', 'rrset', 'list', zone],
    fields: {},
    query: { ...listed, type: '--type' },
  },
  createRrset: {
    words: ['zone', 'rrset', 'create', zone],
    fields: {
      name: '--name',
      type: '--type',
      ttl: '--ttl',
      labels: '--label',
      records: (given, { body }) => recordsOf(body.type, given),
    },
  },
  getRrset: { words: ['zone', 'rrset', 'describe', ...rrset], fields: {} },
  updateRrset: { words: [], fields: { labels: labelsOf('zone rrset', inRrset), records: noOption, ttl: noOption } },
  removeRrset: { words: ['zone', 'rrset', 'delete', ...rrset], fields: {} },
  addRecords: { words: ['zone', 'rrset', 'add-records', ...rrset], fields: { records, ttl: '--ttl' } },
  removeRecords: { words: ['zone', 'rrset', 'remove-records', ...rrset], fields: { records } },
  setRecords: { words: ['zone', 'rrset', 'set-records', ...rrset], fields: { records } },
  updateRecords: noCommand,
  changeRrsetTtl: {
    words: ['zone', 'rrset', 'change-ttl', ...rrset],
    fields: { ttl: (ttl) => (typeof ttl === 'number' ? optionOf('--ttl', ttl) : ['--unset']) },
    // The TTL of the zone is what there is without a value.
    defaults: { ttl: 'unset' },
  },
  changeRrsetProtection: { words: [], fields: protection('zone rrset', ['change'], inRrset) },
}
