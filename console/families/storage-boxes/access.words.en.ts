/** Words of the page on how a Storage Box is reached. */
export const access = {
  settings: 'Access settings',
  settingsText: 'They hold within a second. Subaccounts have their own.',
  saveAct: 'Save the settings',
  account: 'Account',
  main: (user: string) => `${user}, the box itself`,
  of: (user: string, home: string) => `${user}, ${home}`,
  ssh: 'By SSH',
  sshText: 'Each asks for the password, unless your key is known to the box. The first line makes it known.',
  webdav: 'By WebDAV',
  webdavText: 'Each asks for the password.',
  isOff: (flag: string) => `${flag} is off for this account, so these are refused.`,
  isClosed: (option: string) =>
    `This installation has no such door open, so these reach nothing. Whoever runs it opens one with the option ${option}.`,
  isInside: 'This account gets in only from networks of this installation.',
  notYet: 'The box is still being made. What is to be copied stands here when it is ready.',
}
