/**
 * The files of Storage Boxes on the wire, below `/wolke/v1`, for the console and whoever has no other client at hand. Paths
 * begin at the box, without a slash; '' is the box itself. No path, link or race leads out of it.
 */
import { Type } from 'typebox'
import {
  closedObject,
  defineEndpoints,
  Meta,
  maxPerPage,
  named,
  nullable,
  type Param,
  Timestamp,
  widePaging,
} from '../../../kernel/contract/contract.ts'
import { TooMuch } from '../../../kernel/errors.ts'
import { parseId } from '../../../kernel/ids.ts'
import { pathIn } from '../domain.ts'
import { fileKinds, maxPath } from './domain.ts'

const section = 'Files of Storage Boxes'
const all = '/storage_boxes/{id}/files' as const
const content = `${all}/content` as const
const uploads = `${all}/uploads` as const

function pathParam(description: string): Param<string> {
  return {
    schema: { type: 'string', maxLength: maxPath, default: '' },
    description: `${description}, from the box; its parts are divided by slashes`,
    repeatable: false,
    parse(texts) {
      const text = texts.at(-1) ?? ''
      if (text.length > maxPath) throw new TooMuch(`must not have more than ${maxPath} characters`)
      const path = pathIn(text)
      if (path === undefined) throw 'must not lead out of the Storage Box'
      return path
    },
  }
}

const snapshot: Param<number | undefined> = {
  schema: { type: 'integer', minimum: 1 },
  description: 'The id of a snapshot of the box, whose files are read instead',
  repeatable: false,
  parse(texts) {
    const text = texts.at(-1)
    if (text === undefined) return undefined
    const id = parseId(text)
    if (id === undefined) throw 'must be an id'
    return id
  },
}

const uploadName = /^[A-Za-z0-9_-]{16,64}$/

const upload: Param<string> = {
  schema: { type: 'string', pattern: uploadName.source },
  description:
    'A name that the caller draws for the upload, such as a UUID; others have other uploads of that name. Required',
  repeatable: false,
  parse(texts) {
    const text = texts.at(-1) ?? ''
    if (!uploadName.test(text)) throw 'must have 16 to 64 letters, digits, hyphens and underscores'
    return text
  },
}

function bytesParam(description: string): Param<number> {
  return {
    schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    description: `${description}, in bytes. Required`,
    repeatable: false,
    parse(texts) {
      const text = texts.at(-1) ?? ''
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
      if (!Number.isSafeInteger(value)) throw 'must be a number of bytes'
      return value
    },
  }
}

const Path = Type.String({ minLength: 1, maxLength: maxPath })

export const BoxFile = named('StorageBoxFile', {
  name: Type.String({ description: 'The last part of its path' }),
  path: Type.String(),
  kind: Type.Enum([...fileKinds], { description: 'A link is never followed' }),
  size: Type.Integer({ minimum: 0, description: 'Bytes; those of what a directory has in it are not among them' }),
  modified: Timestamp,
})

/** What this installation has for the files of Storage Boxes. */
export const StorageDoors = named('StorageDoors', {
  ssh: nullable(Type.String({ description: 'HOST:PORT of the SSH door, null while it is closed' })),
  webdav: nullable(Type.String({ description: 'HOST:PORT of the WebDAV door, null while it is closed' })),
  files: Type.Boolean({ description: 'Whether Storage Boxes have files' }),
  store: nullable(Type.String({ description: 'How files are kept, such as btrfs' })),
  confined: nullable(
    Type.Boolean({ description: 'Whether the kernel keeps in its box whoever comes in; null while no door is open' }),
  ),
})

const Reply = Type.Object({ file: BoxFile })

export const fileEndpoints = defineEndpoints({
  getDoors: {
    method: 'GET',
    needs: 'viewer',
    path: '/storage_boxes/{id}/doors',
    summary: 'Tell which doors lead to the files of a Storage Box, and how files are kept',
    section,
    status: 200,
    reply: Type.Object({ doors: StorageDoors }),
    errors: [],
  },
  listFiles: {
    method: 'GET',
    needs: 'viewer',
    path: all,
    summary: 'List a directory of a Storage Box by name',
    section,
    query: { ...widePaging(maxPerPage), path: pathParam('The directory'), snapshot },
    status: 200,
    reply: Type.Object({ files: Type.Array(BoxFile), meta: Meta }),
    errors: ['locked', 'conflict', 'unsupported_error'],
  },
  downloadFile: {
    method: 'GET',
    needs: 'viewer',
    path: content,
    summary: 'Read a file of a Storage Box, or the bytes of it that a Range header names; the answer is a download',
    section,
    query: { path: pathParam('The file'), snapshot },
    status: 200,
    sendsBytes: true,
    errors: ['locked', 'conflict', 'unsupported_error'],
  },
  uploadFile: {
    method: 'PUT',
    needs: 'restricted',
    path: content,
    summary: 'Write a file of a Storage Box, in the place of one that is there once all of it has come',
    section,
    query: { path: pathParam('The file') },
    takesBytes: true,
    status: 200,
    reply: Reply,
    errors: ['locked', 'conflict', 'resource_limit_exceeded', 'unsupported_error'],
  },
  uploadPiece: {
    method: 'PUT',
    needs: 'restricted',
    path: uploads,
    summary: 'Write a piece of a file of a Storage Box; the last one puts the file in the place of one that is there',
    section,
    query: {
      path: pathParam('The file'),
      upload,
      offset: bytesParam('Where the piece begins in the file: where the one before it ended'),
      size: bytesParam('The size of the whole file'),
    },
    takesBytes: true,
    status: 200,
    reply: Type.Object({
      file: nullable(BoxFile),
      received: Type.Integer({ description: 'Bytes of the file by now: the offset of the next piece' }),
    }),
    errors: ['locked', 'conflict', 'resource_limit_exceeded', 'unsupported_error'],
  },
  removeUpload: {
    method: 'DELETE',
    needs: 'restricted',
    path: uploads,
    summary: 'Give up a file of a Storage Box that has come in part, and remove its pieces',
    section,
    query: { upload },
    status: 204,
    errors: ['locked', 'conflict', 'unsupported_error'],
  },
  createFolder: {
    method: 'POST',
    needs: 'restricted',
    path: `${all}/folders`,
    summary: 'Make a directory in a Storage Box; the one above it is there',
    section,
    body: closedObject({ path: Path }),
    status: 201,
    reply: Reply,
    errors: ['locked', 'conflict', 'resource_limit_exceeded', 'unsupported_error'],
  },
  renameFile: {
    method: 'POST',
    needs: 'restricted',
    path: `${all}/rename`,
    summary: 'Give a file or directory of a Storage Box another path, where there is nothing yet',
    section,
    body: closedObject({ from: Path, to: Path }),
    status: 200,
    reply: Reply,
    errors: ['locked', 'conflict', 'resource_limit_exceeded', 'unsupported_error'],
  },
  removeFile: {
    method: 'DELETE',
    needs: 'restricted',
    path: all,
    summary: 'Delete a file of a Storage Box, or a directory with all that is in it',
    section,
    query: { path: pathParam('The file or directory') },
    status: 204,
    errors: ['locked', 'conflict', 'unsupported_error'],
  },
})
