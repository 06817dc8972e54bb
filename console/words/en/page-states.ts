/** Words of the states that every page has besides its own. */

export const pageStates = {
  forbidden: 'You may not see this',
  forbiddenText: (role: string) =>
    `It needs the role ${role} in this Project. An owner or admin of the Project can give it to you.`,
  forbiddenPlain: 'Your role in this Project does not reach this far. An owner or admin of the Project can change it.',
  missing: 'There is nothing here',
  missingText: 'Nothing has this address. It may have been deleted, or it belongs to another Project.',
  gone: (name: string) => `${name} was deleted elsewhere while this page was open.`,
  failedText: 'Nothing was changed.',
}
