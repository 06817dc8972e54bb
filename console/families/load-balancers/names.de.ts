import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Load Balancer',
  type: 'Load Balancer',
  commands: {
    create_load_balancer: 'Load Balancer erstellen',
    delete_load_balancer: 'Load Balancer löschen',
    add_service: 'Dienst hinzufügen',
    update_service: 'Dienst ändern',
    delete_service: 'Dienst löschen',
    add_target: 'Ziel hinzufügen',
    remove_target: 'Ziel entfernen',
    update_targets: 'Ziele abgleichen',
    change_algorithm: 'Algorithmus ändern',
    change_load_balancer_type: 'Typ des Load Balancers ändern',
    enable_public_interface: 'Öffentliche Schnittstelle einschalten',
    disable_public_interface: 'Öffentliche Schnittstelle ausschalten',
  },
}
