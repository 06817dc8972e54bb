/** The options of where the files of Storage Boxes are, and of the doors that lead to them. */
import { tmpdir } from 'node:os'
import { Option } from 'commander'
import { type DatabaseUrl, fileOf, isInMemory } from '../kernel/data/dialect.ts'
import type { ListenAddress } from '../protocols/net/listen-address.ts'

export interface StorageConfig {
  readonly storage?: string
  /** Undefined means whatever this machine can do. */
  readonly storageSsh?: ListenAddress | 'off'
  readonly storageWebdav?: ListenAddress | 'off'
  readonly storageDoorsUnconfined?: boolean
}

const byItself = '(default: where the first address of the pool is one of this machine, at port'

/** `listen` reads an address. */
export function storageOptions(listen: (text: string) => ListenAddress): Option[] {
  const door = (text: string) => (text === 'off' ? text : listen(text))
  return [
    new Option(
      '--storage <directory>',
      'where the files of Storage Boxes are (default: PATH.storage beside sqlite:PATH, else data/storage; with memory, a ' +
        'folder that goes with the server)',
    ).env('WOLKE_STORAGE'),
    new Option('--storage-ssh <host:port|off>', `address of the SSH door of Storage Boxes ${byItself} 23, else off)`)
      .env('WOLKE_STORAGE_SSH')
      .argParser(door),
    new Option(
      '--storage-webdav <host:port|off>',
      `address of the WebDAV door of Storage Boxes ${byItself} 8023, else off)`,
    )
      .env('WOLKE_STORAGE_WEBDAV')
      .argParser(door),
    new Option(
      '--storage-doors-unconfined',
      'open the doors of Storage Boxes without root or Linux, where only checks of paths keep accounts in their boxes',
    ).env('WOLKE_STORAGE_DOORS_UNCONFINED'),
  ]
}

/** Files go with the server where its data does: then they are in a folder of their own in the directory. */
export function storageOf({
  storage: given,
  storageSsh: ssh,
  storageWebdav: webdav,
  storageDoorsUnconfined: isUnconfined = false,
  database,
}: StorageConfig & { readonly database: DatabaseUrl }) {
  const isPassing = isInMemory(database)
  const file = fileOf(database)
  const beside = file === undefined ? 'data/storage' : `${file}.storage`
  return { directory: given ?? (isPassing ? tmpdir() : beside), isPassing, ssh, webdav, isUnconfined }
}
