/** A store has everything at these places below its directory. */
import { join } from 'node:path'
import { DriverError } from '../../../kernel/actions/define.ts'

/** The folder of a box in which files are while they come. Nobody sees it but who comes by SSH. */
export const uploadsFolder = '.wolke-uploads'

/** The longest name of a file, in bytes. */
const longestName = 255

export class Places {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  /** This file names the kind of store. */
  get kind(): string {
    return join(this.root, 'kind')
  }

  get boxes(): string {
    return join(this.root, 'boxes')
  }

  /** Everything that is being made or removed has its place here by its box. */
  get making(): string {
    return join(this.root, 'making')
  }

  /** Generations of boxes that were removed. */
  get removed(): string {
    return join(this.root, 'removed')
  }

  /** The users that boxes have and can have (see users.ts). */
  get users(): string {
    return join(this.root, 'users.json')
  }

  /** The level of quota groups on btrfs (see trees/level.ts). */
  get level(): string {
    return join(this.root, 'level.json')
  }

  get locks(): string {
    return join(this.root, 'locks')
  }

  /** Trials of what the directory can do take place here. */
  get trial(): string {
    return join(this.root, 'trial')
  }

  /** An empty directory, over which a private root is mounted (see trees/cell.ts). */
  get cell(): string {
    return join(this.root, 'cell')
  }

  countLock(number: number): string {
    return join(this.locks, `count-${number}`)
  }

  of(id: number): BoxPlaces {
    const making = join(this.making, `${id}`)
    return {
      lock: join(this.locks, `${id}`),
      tombstone: join(this.removed, `${id}`),
      ...placesWithin(join(this.boxes, `${id}`)),
      making,
      /** A box is made here before it has its place. */
      made: placesWithin(join(making, 'box')),
      doomed: join(making, 'removed'),
      fresh: join(making, 'new'),
      former: join(making, 'old'),
      journal: join(making, 'rollback.json'),
    }
  }
}

export type BoxPlaces = ReturnType<typeof placesWithin> & {
  readonly lock: string
  readonly tombstone: string
  readonly making: string
  readonly made: ReturnType<typeof placesWithin>
  readonly doomed: string
  readonly fresh: string
  readonly former: string
  readonly journal: string
}

function placesWithin(box: string) {
  return {
    box,
    files: join(box, 'files'),
    snapshots: join(box, 'snapshots'),
    snapshot: (name: string) => join(box, 'snapshots', encodeName(name)),
    state: join(box, 'box.json'),
    rollbacks: join(box, 'rollbacks.json'),
    /** An empty file for each snapshot that was removed, by its name. */
    gone: join(box, 'gone'),
    goneSnapshot: (name: string) => join(box, 'gone', encodeName(name)),
    /** A note of each file that came whole in several pieces lately, by its upload. */
    wholeUploads: join(box, 'whole-uploads'),
    count: join(box, 'count.json'),
  }
}

/**
 * The name of the directory of a snapshot. Letters, digits, `-`, `_` and inner dots stand for themselves, and all other bytes are
 * written as `%2F` is, so that no name leads elsewhere or is hidden, and two names have two directories.
 */
export function encodeName(name: string): string {
  const encoded = [...Buffer.from(name, 'utf8')].map(encodeByte).join('')
  if (encoded === '' || encoded.length > longestName) {
    throw new DriverError('A snapshot cannot have this name.', { transient: false })
  }
  return encoded
}

function encodeByte(byte: number, index: number): string {
  const character = String.fromCharCode(byte)
  const isPlain = /[A-Za-z0-9_-]/.test(character) || (character === '.' && index > 0)
  return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}

/** The name that a directory stands for. */
export function decodeName(encoded: string): string {
  return decodeURIComponent(encoded)
}
