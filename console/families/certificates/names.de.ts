import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Zertifikate',
  type: 'Zertifikat',
  commands: {
    create_certificate: 'Zertifikat erstellen',
    issue_certificate: 'Zertifikat ausstellen',
  },
}
