/** The commands by which programs use an account of a Storage Box. Pure. */
import { sh } from '../../commands/shell.ts'

/** An account that programs sign in with, and where. */
export interface Way {
  readonly user: string
  readonly ssh: { readonly host: string; readonly port: string }
  /** The address of its root, without a slash at its end. */
  readonly webdav: string
}

export interface ClientCommands {
  /** The program, as people call it. */
  readonly client: string
  readonly lines: readonly string[]
}

/** Commands by SSH have paths that begin at the root of the account unless there is a slash at their beginning. */
export function sshCommands({ user, ssh: { host, port } }: Way): readonly ClientCommands[] {
  const keyLine = sh`ssh -p ${port} ${user}@${host} install-ssh-key < ~/.ssh/id_ed25519.pub`
  const borg = `ssh://${user}@${host}:${port}/./backups/borg`
  const restic = `sftp://${user}@${host}:${port}/backups/restic`
  return [
    { client: 'ssh', lines: [keyLine] },
    { client: 'sftp', lines: [sh`sftp -P ${port} ${user}@${host}`] },
    { client: 'scp', lines: [sh`scp -P ${port} notes.txt ${user}@${host}:`] },
    { client: 'rsync', lines: [sh`rsync -a --delete -e 'ssh -p ${port}' documents/ ${user}@${host}:documents/`] },
    {
      client: 'borg',
      lines: [
        sh`borg init --make-parent-dirs --encryption=repokey-blake2 ${borg}`,
        sh`borg create --stats ${borg}::'{now}' ~/documents`,
      ],
    },
    { client: 'restic', lines: [sh`restic -r ${restic} init`, sh`restic -r ${restic} backup ~/documents`] },
    {
      client: 'rclone',
      lines: [
        sh`rclone config create box sftp host=${host} port=${port} user=${user} key_file=~/.ssh/id_ed25519`,
        'rclone copy documents box:documents',
      ],
    },
    { client: 'sshfs', lines: [sh`sshfs -p ${port} ${user}@${host}:/ /mnt/box`] },
  ]
}

/** Commands by WebDAV ask for the password. */
export function webdavCommands({ user, webdav }: Way): readonly ClientCommands[] {
  return [
    {
      client: 'curl',
      lines: [
        sh`curl --user ${user} --upload-file notes.txt ${webdav}/notes.txt`,
        sh`curl --user ${user} --output notes.txt ${webdav}/notes.txt`,
      ],
    },
    { client: 'davfs2', lines: [sh`mount -t davfs -o username=${user} ${webdav}/ /mnt/box`] },
    {
      client: 'rclone',
      lines: [
        // rclone itself would ask for the password among many other things.
        `printf 'Password: ' && read -rs pass && ${sh`rclone config create boxdav webdav url=${webdav} vendor=other user=${user}`} pass="$pass"`,
        'rclone copy documents boxdav:documents',
      ],
    },
  ]
}
