import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'Load Balancers',
  type: 'Load Balancer',
  commands: {
    create_load_balancer: 'Create Load Balancer',
    delete_load_balancer: 'Delete Load Balancer',
    add_service: 'Add service',
    update_service: 'Change service',
    delete_service: 'Delete service',
    add_target: 'Add target',
    remove_target: 'Remove target',
    update_targets: 'Update targets',
    change_algorithm: 'Change algorithm',
    change_load_balancer_type: 'Change type of Load Balancer',
    enable_public_interface: 'Turn on public interface',
    disable_public_interface: 'Turn off public interface',
  },
} satisfies Names
