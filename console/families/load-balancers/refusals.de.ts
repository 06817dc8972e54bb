/** Warum Anfragen abgelehnt werden, nach Code. */
import type { refusals as English } from './refusals.en.ts'

export const refusals: typeof English = {
  cloud_resource_ip_not_allowed: 'Diese Adresse gehört zu einer Ressource der Cloud. Die Ressource selbst hinzufügen.',
  invalid_load_balancer_type: 'Dieser Typ ist zu klein für das, was der Load Balancer hat.',
  ip_not_owned: 'Diese Adresse gehört jemand anderem.',
  load_balancer_already_attached: 'Der Load Balancer hängt schon an diesem Netzwerk.',
  load_balancer_not_attached_to_network: 'Der Load Balancer ist in keinem Netzwerk. Zuerst anhängen.',
  load_balancer_public_interface_disabled:
    'Der Load Balancer hat keine öffentliche Adresse und erreicht dieses Ziel nicht.',
  load_balancer_target_not_found: 'Der Load Balancer hat dieses Ziel nicht.',
  missing_ipv4: 'Der Server hat keine öffentliche IPv4-Adresse.',
  server_is_load_balancer_target:
    'Ein Load Balancer sendet über das Netzwerk an diesen Server. Zuerst dessen Ziele ändern.',
  source_port_already_used: 'Ein anderer Dienst hört auf diesem Port.',
  target_already_defined: 'Der Load Balancer hat dieses Ziel schon.',
  targets_without_use_private_ip: 'Einige Ziele nutzen öffentliche Adressen. Zuerst ändern.',
}
