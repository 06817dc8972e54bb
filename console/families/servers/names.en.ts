import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'servers',
  type: 'server',
  commands: {
    create_server: 'Create server',
    delete_server: 'Delete server',
    start_server: 'Start server',
    stop_server: 'Power off server',
    shutdown_server: 'Shut down server',
    reboot_server: 'Restart server',
    reset_server: 'Reset server',
    rebuild_server: 'Rebuild server',
    change_server_type: 'Change server type',
    enable_rescue: 'Turn on rescue system',
    disable_rescue: 'Turn off rescue system',
    reset_password: 'Reset root password',
    request_console: 'Open console',
    enable_backup: 'Turn on backups',
    disable_backup: 'Turn off backups',
    add_to_placement_group: 'Add to placement group',
    remove_from_placement_group: 'Remove from placement group',
    attach_iso: 'Attach ISO',
    detach_iso: 'Detach ISO',
  },
} satisfies Names
