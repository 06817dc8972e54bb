/** The public cloud has these at other services, which clients may look for here, by the paths at which they do. */
export const elsewhere: Readonly<Record<string, string>> = { buckets: 'Buckets', object_storages: 'Object Storages' }
