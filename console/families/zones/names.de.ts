import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'DNS-Zonen',
  type: 'Zone',
  commands: {
    create_zone: 'Zone anlegen',
    delete_zone: 'Zone löschen',
    import_zonefile: 'Zonendatei importieren',
    change_ttl: 'TTL der Zone ändern',
    change_primary_nameservers: 'Primäre Nameserver ändern',
    create_rrset: 'Eintragssatz anlegen',
    delete_rrset: 'Eintragssatz löschen',
    add_rrset_records: 'Einträge hinzufügen',
    remove_rrset_records: 'Einträge entfernen',
    set_rrset_records: 'Einträge setzen',
    update_rrset_records: 'Kommentare von Einträgen ändern',
    change_rrset_ttl: 'TTL des Eintragssatzes ändern',
    change_rrset_protection: 'Schutz des Eintragssatzes ändern',
  },
}
