/** Addresses in networks as numbers, in whose order members are listed a page at a time. */
import type { Migration } from '../kernel/data/migrate.ts'

const digits = `'0123456789'`
/** What an address has after its last dot, as a number, and what it has before that. */
const last = (text: string) => `cast(substr(${text}, length(rtrim(${text}, ${digits})) + 1) as integer)`
const before = (text: string) => `rtrim(rtrim(${text}, ${digits}), '.')`
const [first, second, third] = [before(before(before('ip'))), before(before('ip')), before('ip')]
const number = `${last(first)} * 16777216 + ${last(second)} * 65536 + ${last(third)} * 256 + ${last('ip')}`

export const memberAddresses: Migration = {
  id: '0046-member-addresses',
  statements: ['network_attachment', 'load_balancer_place'].flatMap((table) => [
    `alter table ${table} add column address integer not null default 0`,
    `update ${table} set address = ${number}`,
    // The Project is last: statements that know it and no network would take an index that begins with it.
    `create index ${table}_by_address on ${table} (network_id, address, project_id)`,
  ]),
}
