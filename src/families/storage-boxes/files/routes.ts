/** Files of Storage Boxes through the API. */
import type { Drivers } from '../../../kernel/actions/define.ts'
import type { Handlers } from '../../../kernel/contract/contract.ts'
import { ListedOnce } from '../../../kernel/resource/listed-once.ts'
import type { Platform } from '../../../platform.ts'
import type { fileEndpoints } from './contract.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function fileRoutes(platform: Platform, drivers: Drivers): Handlers<typeof fileEndpoints> {
  const shop: work.FileShop = { platform, drivers, listings: new ListedOnce() }
  return {
    getDoors: (call) => work.doors(shop, call),
    listFiles: (call) => work.list(shop, call),
    downloadFile: (call) => work.download(shop, call),
    uploadFile: (call) => work.upload(shop, call),
    uploadPiece: (call) => work.uploadPiece(shop, call),
    removeUpload: (call) => work.removeUpload(shop, call),
    createFolder: (call) => work.createFolder(shop, call),
    renameFile: (call) => work.rename(shop, call),
    removeFile: (call) => work.remove(shop, call),
  }
}
