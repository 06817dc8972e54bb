/** Warum Anfragen abgelehnt werden, nach Code. */
import type { refusals as English } from './refusals.en.ts'

export const refusals: typeof English = {
  firewall_already_applied: 'Die Firewall ist darauf schon angewandt.',
  firewall_managed_by_label_selector: 'Ein Label-Selektor wendet die Firewall darauf an. Labels oder Selektor ändern.',
  firewall_resource_not_found: 'Die Firewall ist darauf nicht angewandt.',
}
