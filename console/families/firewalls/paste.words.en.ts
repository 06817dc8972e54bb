/** Words of the dialog that takes pasted rules. */
import { plural } from '../../words/format.ts'

export const paste = {
  title: 'Paste rules or networks',
  text: 'Nothing is applied yet: what you paste becomes rules that you can still change.',
  label: 'Networks, JSON or Terraform',
  hint: 'As in 10.0.0.0/8, 192.0.2.7, a rule of the API in JSON, or a rule block of Terraform.',
  networks: (count: number) => plural(count, { one: 'One rule with # network.', other: 'One rule with # networks.' }),
  nothing: 'There are no rules and no networks in this.',
  misread: (count: number, all: number) =>
    `${count} of ${plural(all, { one: '# rule', other: '# rules' })} ${count === 1 ? 'was' : 'were'} not understood.`,
  misreadMissing: {
    direction: (place: string) => `Rule ${place} has no direction.`,
    protocol: (place: string) => `Rule ${place} has no protocol.`,
  },
  misreadAs: {
    direction: (place: string, says: string) => `The direction of rule ${place} is ${says}, neither in nor out.`,
    protocol: (place: string, says: string) => `The protocol of rule ${place} is ${says}, which is none of firewalls.`,
    side: (place: string, says: string) => `Rule ${place} has ${says}, which is for the other direction.`,
  },
  addRules: (count: number) => `Add ${plural(count, { one: '# rule', other: '# rules' })}`,
}
