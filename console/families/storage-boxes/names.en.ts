import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'Storage Boxes',
  type: 'Storage Box',
  commands: {
    create: 'Create Storage Box',
    delete: 'Delete Storage Box',
    change_type: 'Change type',
    reset_password: 'Reset password',
    update_access_settings: 'Change access settings',
    create_snapshot: 'Make snapshot',
    delete_snapshot: 'Delete snapshot',
    rollback_snapshot: 'Roll back to snapshot',
    enable_snapshot_plan: 'Enable snapshot plan',
    disable_snapshot_plan: 'Disable snapshot plan',
    create_subaccount: 'Create subaccount',
    delete_subaccount: 'Delete subaccount',
    change_home_directory: 'Change home directory',
    reset_subaccount_password: 'Reset password of subaccount',
  },
} satisfies Names
