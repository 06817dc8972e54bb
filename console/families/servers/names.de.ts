import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Server',
  type: 'Server',
  commands: {
    create_server: 'Server erstellen',
    delete_server: 'Server löschen',
    start_server: 'Server starten',
    stop_server: 'Server ausschalten',
    shutdown_server: 'Server herunterfahren',
    reboot_server: 'Server neu starten',
    reset_server: 'Server zurücksetzen',
    rebuild_server: 'Server neu aufsetzen',
    change_server_type: 'Servertyp ändern',
    enable_rescue: 'Rettungssystem einschalten',
    disable_rescue: 'Rettungssystem ausschalten',
    reset_password: 'Root-Passwort zurücksetzen',
    request_console: 'Konsole öffnen',
    enable_backup: 'Backups einschalten',
    disable_backup: 'Backups ausschalten',
    add_to_placement_group: 'Zu Placement Group hinzufügen',
    remove_from_placement_group: 'Aus Placement Group nehmen',
    attach_iso: 'ISO einlegen',
    detach_iso: 'ISO auswerfen',
  },
}
