/** Warum Anfragen abgelehnt werden, nach Code. */
import type { refusals as English } from './refusals.en.ts'

export const refusals: typeof English = {
  primary_ip_already_assigned: 'Die Primary IP ist schon zugewiesen.',
  primary_ip_assigned: 'Die Primary IP ist zugewiesen. Zuerst lösen.',
  primary_ip_datacenter_mismatch: 'Die Primary IP ist an einem anderen Standort.',
  primary_ip_location_mismatch: 'Die Primary IP ist an einem anderen Standort.',
  primary_ip_version_mismatch: 'Die Primary IP gehört zur anderen Version des Protokolls.',
  server_has_ipv4: 'Der Server hat schon eine öffentliche IPv4-Adresse.',
  server_has_ipv6: 'Der Server hat schon eine öffentliche IPv6-Adresse.',
}
