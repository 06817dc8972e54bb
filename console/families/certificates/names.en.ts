import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'certificates',
  type: 'certificate',
  commands: {
    create_certificate: 'Create certificate',
    issue_certificate: 'Issue certificate',
  },
} satisfies Names
