/**
 * The entries of a catalogue, in the shape of the API. The types of catalogue.ts, the check of a file and what the API
 * shows all follow from these schemas.
 */
import { type TSchema, Type } from 'typebox'
import { osFlavors } from './os-flavors.ts'

// This module imports typebox, so others import only its types, except for what reads a catalogue file.
//
// Every field is required, so a misspelt one is reported as missing; unknown fields are ignored, so that replies of the
// API can be pasted unchanged.

const Id = Type.Integer({ minimum: 1, maximum: 2 ** 52 - 1 })
const Code = Type.String({ pattern: '^[a-z0-9][a-z0-9-]*$' })
const Name = Type.String({ pattern: '^\\S+$' })
const Size = Type.Integer({ minimum: 1 })
const Architecture = Type.Enum(['x86', 'arm'])

// The format allows leap seconds, which Date cannot represent.
const Timestamp = Type.Refine(
  Type.String({ format: 'date-time' }),
  (text) => !Number.isNaN(Date.parse(text)),
  () => 'must be a time without leap second',
)

const nullable = <T extends TSchema>(schema: T) => Type.Union([Type.Null(), schema])

/** When a deprecation was announced, and until when the resource can still be ordered. */
export const DeprecationEntry = Type.Object({ announced: Timestamp, unavailable_after: Timestamp })

/** ISO 3166 and coordinates describe a site; the network zone groups sites that one network can span (spec: Location). */
export const LocationEntry = Type.Object({
  id: Id,
  name: Code,
  description: Type.String(),
  /** ISO 3166-1 alpha-2 code. */
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
  city: Type.String(),
  /** Degrees north. */
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  /** Degrees east. */
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
  network_zone: Code,
  /** The name of what runs its machines; without it, the usual one of the installation does. */
  infrastructure: Type.Optional(Code),
})

// ---- Prices --------------------------------------------------------------------------------------------------------

const Amount = Type.String({ pattern: '^\\d+(\\.\\d+)?$' })

/** Amounts in the currency of the installation, as decimal strings to keep every digit. */
export const PriceEntry = Type.Object({ net: Amount, gross: Amount })

/** The price of a type in one location. OpenAPI schema `price_per_time`. */
export const LocationPriceEntry = Type.Object({
  location: Code,
  price_hourly: PriceEntry,
  price_monthly: PriceEntry,
  /** Bytes per month. */
  included_traffic: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  price_per_tb_traffic: PriceEntry,
})

const AddressType = Type.Enum(['ipv4', 'ipv6'])
const MonthlyPriceEntry = Type.Object({ location: Code, price_monthly: PriceEntry })
const HourlyPriceEntry = Type.Object({ location: Code, price_hourly: PriceEntry, price_monthly: PriceEntry })
const PerGbMonth = Type.Object({ price_per_gb_month: PriceEntry })

/** The prices of everything but types of servers, Load Balancers and Storage Boxes, which carry their own (spec: Pricing). */
export const PricingEntry = Type.Object({
  /** ISO 4217 code. */
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  /** Percent. */
  vat_rate: Amount,
  image: PerGbMonth,
  volume: PerGbMonth,
  /** Percent of the price of the server. */
  server_backup: Type.Object({ percentage: Amount }),
  floating_ips: Type.Array(Type.Object({ type: AddressType, prices: Type.Array(MonthlyPriceEntry) })),
  primary_ips: Type.Array(Type.Object({ type: AddressType, prices: Type.Array(HourlyPriceEntry) })),
})

// ---- Types of servers, Load Balancers and Storage Boxes ---------------------------------------------------------------------------

/** Availability of a server type in one location. OpenAPI schema `server_type_location`. */
const ServerTypeLocationEntry = Type.Object({
  id: Id,
  name: Code,
  deprecation: nullable(DeprecationEntry),
  /** A hint about free capacity; it does not decide whether an order is accepted. */
  available: Type.Boolean(),
  recommended: Type.Boolean(),
})

/** A size of server (spec: Server type). */
export const ServerTypeEntry = Type.Object({
  id: Id,
  name: Name,
  description: Type.String(),
  /** Null on types that predate categories. */
  category: nullable(Type.String()),
  cores: Size,
  /** GB. */
  memory: Type.Number({ exclusiveMinimum: 0 }),
  /** GB. */
  disk: Size,
  storage_type: Type.Enum(['local', 'network']),
  cpu_type: Type.Enum(['shared', 'dedicated']),
  architecture: Architecture,
  prices: Type.Array(LocationPriceEntry),
  locations: Type.Array(ServerTypeLocationEntry),
  /** Set only when every location is deprecated; `locations` decides what can be ordered. */
  deprecation: nullable(DeprecationEntry),
})

/** A size of Load Balancer, which every location offers (spec: Load Balancer type). */
export const LoadBalancerTypeEntry = Type.Object({
  id: Id,
  name: Name,
  description: Type.String(),
  /** The most connections open at the same time. */
  max_connections: Size,
  max_services: Size,
  max_targets: Size,
  max_assigned_certificates: Size,
  prices: Type.Array(LocationPriceEntry),
  deprecation: nullable(DeprecationEntry),
})

/** The price of a Storage Box in one location, with what is paid once. */
const SetupPriceEntry = Type.Object({
  location: Code,
  price_hourly: PriceEntry,
  price_monthly: PriceEntry,
  setup_fee: PriceEntry,
})

/** A size of Storage Box, which the locations with a price offer (spec: Storage Boxes). */
export const StorageBoxTypeEntry = Type.Object({
  id: Id,
  name: Name,
  description: Type.String(),
  /** The most snapshots that are made on request; null for any number. */
  snapshot_limit: nullable(Size),
  /** The most that a plan makes; null for any number. */
  automatic_snapshot_limit: nullable(Size),
  subaccounts_limit: Type.Integer({ minimum: 0 }),
  /** Bytes, of files and snapshots together. */
  size: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  prices: Type.Array(SetupPriceEntry),
  deprecation: nullable(DeprecationEntry),
})

// ---- What servers run ----------------------------------------------------------------------------------------------

/** An image that comes with the installation, as opposed to snapshots and backups of its users (spec: Image). */
export const ImageEntry = Type.Object({
  id: Id,
  type: Type.Enum(['system', 'app']),
  /** Unique together with `architecture`. */
  name: Name,
  description: Type.String(),
  os_flavor: Type.Enum([...osFlavors]),
  os_version: nullable(Type.String()),
  /** The image runs only on server types of the same one. */
  architecture: Architecture,
  created: Timestamp,
  /** The minimum disk size of a server in GB. */
  disk_size: Type.Number({ minimum: 0 }),
  rapid_deploy: Type.Boolean(),
  deprecation: nullable(DeprecationEntry),
})

/** An installation medium that can be in the drive of a server (spec: ISO). */
export const IsoEntry = Type.Object({
  id: Id,
  /** Unique. */
  name: Name,
  description: Type.String(),
  /** Null for one that fits every server. */
  architecture: nullable(Architecture),
  deprecation: nullable(DeprecationEntry),
})

// ---- What networks and Load Balancers reach ------------------------------------------------------------------------

/** A vSwitch that networks can be coupled with. */
const VswitchEntry = Type.Object({ id: Id })

/** A range of addresses outside of the cloud that belongs to a Project. */
export const ExternalAddressEntry = Type.Object({
  /** The name of the Project, which may be created later. */
  project: Type.String({ pattern: '^\\S(.{0,126}\\S)?$' }),
  /** A network without host bits. */
  ip_range: Type.String(),
})

/** A whole catalogue file. */
export const FileEntry = Type.Object({
  locations: Type.Array(LocationEntry),
  server_types: Type.Array(ServerTypeEntry),
  // A file without it gets the built-in types with their prices in its own locations.
  load_balancer_types: Type.Optional(Type.Array(LoadBalancerTypeEntry)),
  storage_box_types: Type.Optional(Type.Array(StorageBoxTypeEntry)),
  images: Type.Array(ImageEntry),
  // Files that were written before there were ISOs have none.
  isos: Type.Optional(Type.Array(IsoEntry)),
  // A file without it gets the built-in prices in its own locations.
  pricing: Type.Optional(PricingEntry),
  vswitches: Type.Optional(Type.Array(VswitchEntry)),
  external_addresses: Type.Optional(Type.Array(ExternalAddressEntry)),
})
