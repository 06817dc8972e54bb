/** Firewalls for the hcloud command line. */
import {
  actionForms,
  type Context,
  type Forms,
  labelsOf,
  later,
  noOption,
  ofMade,
  Refusal,
  usual,
  type Words,
} from '../../commands/hcloud/forms.ts'
import { optionOf } from '../../commands/hcloud/options.ts'
import type { Contract } from './contract.ts'

/** Rules as the file that hcloud reads, without what says nothing. */
function rulesFile(rules: readonly object[]): Words {
  const entries = rules.map((rule) => Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== null)))
  return { flag: ['--rules-file', '-'], input: JSON.stringify(entries, null, 2) }
}

interface Target {
  readonly type: 'server' | 'label_selector'
  readonly server?: { readonly id: number } | null
  readonly label_selector?: { readonly selector: string } | null
}

/** One command for each target. */
const targets =
  (verb: string) =>
  (given: readonly Target[], { params }: Context<unknown>): Words => {
    const commands = given.map(({ type, server, label_selector }) => {
      const which =
        type === 'server' ? optionOf('--server', server?.id) : optionOf('--label-selector', label_selector?.selector)
      return { verb: `firewall ${verb}`, options: ['--type', type, ...which], own: [String(params.id)] }
    })
    return commands.length === 0 ? new Refusal('nothing') : { commands }
  }

export const hcloud: Forms<Contract> = {
  ...actionForms,
  ...usual('firewall'),
  create: {
    words: ['firewall', 'create'],
    fields: {
      name: '--name',
      labels: '--label',
      rules: (rules) => {
        if (rules.length === 0) return []
        const words = rulesFile(rules)
        // Older versions leave out where rules may lead, and make another firewall.
        return rules.some(({ direction }) => direction === 'out') ? { since: 44, words } : words
      },
      apply_to: later,
    },
    rest: ({ body: { name, apply_to } }) =>
      ofMade(name, apply_to?.length ? [{ operation: 'firewalls_applyToResources', body: { apply_to } }] : []),
  },
  update: { words: ['firewall', 'update', '{id}'], fields: { name: '--name', labels: labelsOf('firewall') } },
  setRules: {
    words: ['firewall', 'replace-rules', '{id}'],
    fields: { rules: rulesFile, name: noOption, labels: noOption, apply_to: noOption },
  },
  applyToResources: { words: [], fields: { apply_to: targets('apply-to-resource') } },
  removeFromResources: { words: [], fields: { remove_from: targets('remove-from-resource') } },
}
