/** ISO images for the hcloud command line. */
import { catalogue, type Forms, paging } from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = catalogue('iso', {
  ...paging,
  architecture: '--architecture',
  include_architecture_wildcard: (value: boolean) => (value ? ['--include-architecture-wildcard'] : []),
})
