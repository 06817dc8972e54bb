/** Warum Anfragen abgelehnt werden, nach Code. */
import type { refusals as English } from './refusals.en.ts'

export const refusals: typeof English = {
  incompatible_network_type: 'Das passt nicht zur Art dieses Netzwerks.',
  ip_not_available: 'Diese Adresse ist vergeben. Eine andere wählen.',
  ip_not_in_vswitch_subnet: 'Diese Adresse liegt nicht im Subnetz des vSwitch.',
  network_has_no_vswitch_subnet: 'Das Netzwerk hat kein Subnetz eines vSwitch.',
  networks_overlap: 'Der Server ist in einem Netzwerk mit denselben Adressen.',
  no_subnet_available: 'Das Netzwerk hat dort kein Subnetz mit freier Adresse. Ein Subnetz hinzufügen.',
  server_not_attached_to_network: 'Der Server ist nicht in diesem Netzwerk.',
  vswitch_id_already_used: 'Ein anderes Netzwerk hat diesen vSwitch.',
}
