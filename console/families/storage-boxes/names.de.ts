import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Storage-Boxen',
  type: 'Storage-Box',
  commands: {
    create: 'Storage-Box erstellen',
    delete: 'Storage-Box löschen',
    change_type: 'Typ ändern',
    reset_password: 'Passwort zurücksetzen',
    update_access_settings: 'Zugang ändern',
    create_snapshot: 'Snapshot erstellen',
    delete_snapshot: 'Snapshot löschen',
    rollback_snapshot: 'Auf Snapshot zurücksetzen',
    enable_snapshot_plan: 'Snapshot-Plan einschalten',
    disable_snapshot_plan: 'Snapshot-Plan ausschalten',
    create_subaccount: 'Unterkonto erstellen',
    delete_subaccount: 'Unterkonto löschen',
    change_home_directory: 'Verzeichnis ändern',
    reset_subaccount_password: 'Passwort des Unterkontos zurücksetzen',
  },
}
