/** The token that a command needs, and the reasons why a client has none for what a form does. */
import type { ReasonKind } from '../../commands/request.ts'

export const commands = {
  newer: (client: string, version: string) => `${client} does this from version ${version} on.`,
  management: 'MANAGEMENT_TOKEN is a management token, which wolke token create --management prints on the host.',
  reasons: {
    command: (client: string) => `${client} has no command for this.`,
    describes: (client: string) => `${client} describes what there is to be; change the resource in its configuration.`,
    labels: (client: string) => `${client} changes labels one by one, which depends on those that are there.`,
    missing: (client: string, what: string) => `${client} needs ${what} for this.`,
    nothing: () => 'There is nothing to change.',
    oneValue: (client: string, what: string) => `${client} takes one value of ${what} at a time.`,
    option: (client: string, what: string) => `${client} has no option for ${what}.`,
    ownCommand: (_: string, what: string) => `A part of this has a command of its own: ${what}.`,
    person: () => 'Only people do this, signed in with a browser.',
    together: (client: string, what: string) => `${client} changes this only together with ${what}.`,
    unfinished: () => 'Something is still missing for a command.',
    value: (client: string, what: string) => `${client} cannot say this value of ${what}.`,
    notHere: () => 'There are no Storage Boxes here yet.',
  } satisfies Record<ReasonKind, (client: string, what: string) => string>,
}
