import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'this Storage Box cannot have more than {1} snapshots':
      'A Storage Box of this type cannot have more than {1} snapshots. Delete one first.',
    'this Storage Box cannot have more than {1} subaccounts':
      'A Storage Box of this type cannot have more than {1} subaccounts. Delete one first.',
    "there is no directory '{1}'": 'There is no folder {1}.',
    'It is no directory.': 'It is no folder.',
    'There is something else than a file at this path.': 'There is something else than a file at this path.',
    'There is something at this path already.': 'There is something at this path already.',
    'It cannot be moved into itself.': 'It cannot be moved into itself.',
    'There is something at the new path already.': 'There is something at the new path already.',
    'Its owner has forbidden this by its permissions.': 'Its owner has forbidden this by its permissions.',
    'This is not possible here: something is in the way.': 'This is not possible here: something is in the way.',
    'this Storage Box cannot have more than {1} bytes in files and snapshots':
      'The Storage Box has no room left for this. Delete something, or give it a larger type.',
    'there is no such file or directory': 'There is no such file or folder.',
    'only a file can be downloaded': 'Only a file can be downloaded.',
    'Storage Boxes of this cloud have no files': 'Storage Boxes of this installation hold no files.',
    'the files of the Storage Box cannot be reached now':
      'The files of the Storage Box cannot be reached now. Try again.',
  },
  messages: {},
}
