/** Words of the page of SSH keys. */
export const sshKeys = {
  title: 'SSH keys',
  list: 'List the SSH keys',
  add: 'Add an SSH key',
  how: 'Where the key comes from',
  paste: 'Paste a public key',
  generate: 'Generate a pair',
  generateAct: 'Generate and add',
  generateText:
    'An Ed25519 pair is made in this browser. The public key is added to the Project; the private key is downloaded and never sent. Nobody can show it again.',
  cannotGenerate:
    'This browser can make keys only on a page that is served by HTTPS or from localhost. Run ssh-keygen -t ed25519 instead.',
  publicKey: 'Public key',
  publicKeyHint: 'One line, as in ~/.ssh/id_ed25519.pub',
  storedTitle: (name: string) => `${name} is added`,
  storedText: (file: string) => `The private key was downloaded as ${file}. There is no other copy of it.`,
  downloadAgain: 'Download again',
  iHaveIt: 'I have stored it',
  kind: 'Kind',
  fingerprint: 'Fingerprint',
  copyFingerprint: 'Copy the fingerprint',
  copyPublic: 'Copy the public key',
  none: 'No SSH keys yet',
  noneText: 'A key opens new servers without a password. It is written into them when they are created.',
  noneCommand: 'hcloud ssh-key create --name laptop --public-key-from-file ~/.ssh/id_ed25519.pub',
  deleteText: 'Servers that have it keep it. New servers can no longer be given it.',
  deleteAct: 'Delete the key',
}
