/** Settings of Storage Boxes, and their defaults. */

export interface StorageBoxSettings {
  /** The domain in which each account has a host name, such as `storage.example.com`. */
  readonly domain: string
}

declare module '../../platform.ts' {
  interface Settings {
    readonly storageBoxes: StorageBoxSettings
  }
}

/** Below the domain of the installation, for those who give no other. */
export function defaultStorageBoxSettings(domain: string): StorageBoxSettings {
  return { domain: `storage.${domain}` }
}
