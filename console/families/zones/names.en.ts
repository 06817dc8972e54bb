import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'DNS zones',
  type: 'zone',
  commands: {
    create_zone: 'Create zone',
    delete_zone: 'Delete zone',
    import_zonefile: 'Import zone file',
    change_ttl: 'Change TTL of zone',
    change_primary_nameservers: 'Change primary name servers',
    create_rrset: 'Create record set',
    delete_rrset: 'Delete record set',
    add_rrset_records: 'Add records',
    remove_rrset_records: 'Remove records',
    set_rrset_records: 'Set records',
    update_rrset_records: 'Change comments of records',
    change_rrset_ttl: 'Change TTL of record set',
    change_rrset_protection: 'Change protection of record set',
  },
} satisfies Names
