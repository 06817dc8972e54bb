/** All migrations, oldest first. Append only. */
import type { Migration } from '../kernel/data/migrate.ts'
import { kernel } from './0001-kernel.ts'
import { sshKeys } from './0002-ssh-keys.ts'
import { servers } from './0003-servers.ts'
import { firewalls } from './0004-firewalls.ts'
import { floatingIps } from './0005-floating-ips.ts'
import { limits } from './0006-limits.ts'
import { images } from './0007-images.ts'
import { actionsNameResources } from './0008-actions-name-resources.ts'
import { certificates } from './0009-certificates.ts'
import { dns } from './0010-dns.ts'
import { mail } from './0011-mail.ts'
import { managedCertificates } from './0012-managed-certificates.ts'
import { writeProbe } from './0013-write-probe.ts'
import { zoneContents } from './0014-zone-contents.ts'
import { actionHistory } from './0015-action-history.ts'
import { leadingTerms } from './0016-leading-terms.ts'
import { desiredStates } from './0017-desired-states.ts'
import { givenTokens } from './0017-given-tokens.ts'
import { imageRemovals } from './0018-image-removals.ts'
import { placementGroups } from './0019-placement-groups.ts'
import { isos } from './0020-isos.ts'
import { networkAttachments } from './0021-network-attachments.ts'
import { networks } from './0021-networks.ts'
import { volumes } from './0022-volumes.ts'
import { primaryIps } from './0023-primary-ips.ts'
import { serverChanges } from './0024-server-changes.ts'
import { consoleSessions } from './0025-console-sessions.ts'
import { privateAddresses } from './0026-private-addresses.ts'
import { holdersByServer } from './0027-holders-by-server.ts'
import { loadBalancers } from './0028-load-balancers.ts'
import { people } from './0029-people.ts'
import { audit } from './0030-audit.ts'
import { tokens } from './0031-tokens.ts'
import { personMail } from './0032-person-mail.ts'
import { challengesByBrowser } from './0033-challenges-by-browser.ts'
import { inviters } from './0034-inviters.ts'
import { defaultProject } from './0035-default-project.ts'
import { keptAudit } from './0036-kept-audit.ts'
import { rotatedManagementTokens } from './0037-rotated-management-tokens.ts'
import { verifiedAddresses } from './0038-verified-addresses.ts'
import { imageLocations } from './0039-image-locations.ts'
import { askersOfConsoles } from './0040-askers-of-consoles.ts'
import { boundedMail } from './0041-bounded-mail.ts'
import { steps } from './0042-steps.ts'
import { startedActions } from './0043-started-actions.ts'

export const migrations: readonly Migration[] = [
  kernel,
  sshKeys,
  servers,
  firewalls,
  floatingIps,
  limits,
  images,
  actionsNameResources,
  certificates,
  dns,
  mail,
  managedCertificates,
  writeProbe,
  zoneContents,
  actionHistory,
  leadingTerms,
  desiredStates,
  givenTokens,
  imageRemovals,
  volumes,
  networks,
  placementGroups,
  primaryIps,
  isos,
  networkAttachments,
  serverChanges,
  consoleSessions,
  holdersByServer,
  privateAddresses,
  loadBalancers,
  people,
  audit,
  tokens,
  personMail,
  challengesByBrowser,
  inviters,
  defaultProject,
  keptAudit,
  rotatedManagementTokens,
  verifiedAddresses,
  imageLocations,
  askersOfConsoles,
  boundedMail,
  steps,
  startedActions,
]
