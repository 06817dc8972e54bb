/** Was die API mit eigenen Wörtern benennt und zu keiner Familie gehört. */
import type { names as English } from '../en/names.ts'

export { names as slices } from '../../generated/names.de.ts'

export const names: typeof English = {
  families: {
    actions: 'Aktionen',
    projects: 'Projekte',
    tokens: 'API-Tokens',
    members: 'Mitglieder',
    invitations: 'Einladungen',
    limits: 'Limits',
    transfer: 'Eigentum',
    activity: 'Aktivität',
    audit: 'Protokoll',
    installation: 'Installation',
    people: 'Menschen',
    account: 'Konten',
    whoami: 'Aufrufer',
    reachability: 'Erreichbarkeit',
    clock: 'Uhr des Labors',
    forks: 'Abzweigungen',
    har: 'aufgezeichnete Anfragen',
    report: 'Bericht des Labors',
    runs: 'Läufe',
    reset: 'Zurücksetzen',
    snapshots: 'Zustände der Cloud',
    faults: 'eingespielte Störungen',
    seed: 'Saatdateien',
  },
  commands: {
    change_dns_ptr: 'Reverse-DNS ändern',
    change_protection: 'Schutz ändern',
    attach_to_network: 'An Netzwerk hängen',
    detach_from_network: 'Von Netzwerk lösen',
  },
  failures: {
    action_failed: 'Die Maschine konnte es nicht tun.',
  },
}
