/** Why something failed where the server names what is in the way: its messages by templates, before the words by code. */
import type { Forms } from '../../lib/messages.ts'

export const named: Forms = {
  "{1} with ID '{2}' not found": 'There is no {1} {2}, or no longer.',
  'the {1} no longer exists': 'The {1} no longer exists.',
  'this installation has no {1}': 'This installation has no {1}.',
  "a project named '{1}' exists already": 'There is a Project {1} already.',
  'a person with the address {1} exists already': 'There is a person with the address {1} already.',
  'there is an account with the address {1}: sign in to it as before, and link it in its security settings':
    'There is an account with the address {1}. Sign in to it as before, and link it in its security settings.',
  'this invitation is meant for {1}': 'This invitation is meant for {1}.',
  'with the role {1} nobody can give this role': 'With the role {1} nobody can give this role.',
  'the Project still has {1}; delete them first': 'The Project still has {1}. Delete them first.',
  '{1} limit exceeded: {2} in use, {3} allowed': '{1}: {2} in use, {3} allowed. Delete some, or have the limit raised.',
  'this needs a {1} zone, and the zone is {2}': 'This needs a {1} zone, and the zone is {2}.',
  "volume with ID '{1}' is still attached to a server": 'Volume {1} is still attached to a server. Detach it first.',
  "volume with ID '{1}' is attached to server with ID '{2}' already": 'Volume {1} is attached to server {2} already.',
  'a server cannot have more than {1} volumes': 'A server cannot have more than {1} volumes.',
  'cannot delete the subnet: {1} are attached to it': 'The subnet has {1}. Detach them first.',
  'a network can have at most {1} {2}': 'A network can have at most {1} {2}.',
  "vswitch with ID '{1}' is already used by a network": 'Another network has vSwitch {1}.',
  'the address {1} is not available': 'The address {1} is taken. Choose another one.',
  'the network has no such subnet in the network zone {1}': 'The network has no such subnet in the network zone {1}.',
  'no subnet of the network holds the address {1}': 'No subnet of the network holds the address {1}.',
  'no subnet of a vSwitch holds the address {1}': 'No subnet of a vSwitch holds the address {1}.',
  "the network overlaps with network with ID '{1}' of the server":
    'The server is in network {1}, which has some of the same addresses.',
  'port {1} is already used by a service': 'Another service listens on port {1}.',
  "server with ID '{1}' has no public IPv4 address": 'Server {1} has no public IPv4 address.',
  "server with ID '{1}' is not in the network of the load balancer":
    'Server {1} is not in the network of the Load Balancer.',
  'the address {1} is not owned by the Project': 'The address {1} belongs to somebody else.',
  'a Load Balancer of the type {1} cannot have more {2}': 'A Load Balancer of the type {1} cannot have more {2}.',
  'the Load Balancer has more {1} than the type {2} allows': 'The Load Balancer has more {1} than the type {2} allows.',
  "the floating IP must be unassigned before it is deleted: it leads to server with ID '{1}'":
    'The Floating IP leads to server {1}. Unassign it first.',
  'the primary IP must be unassigned before it is deleted: {1} has it': 'The Primary IP is of {1}. Unassign it first.',
  'the primary IP is not of type {1}': 'The Primary IP is not of the type {1}.',
  "server with ID '{1}' must be off": 'Server {1} must be off for this. Power it off first.',
  "server with ID '{1}' was added more than once": 'Server {1} is there more than once.',
  "server with ID '{1}' has the firewall through a label selector":
    'A label selector applies the firewall to server {1}. Change its labels or the selector.',
  "server with ID '{1}' cannot have more than {2} firewalls": 'Server {1} cannot have more than {2} firewalls.',
  "the firewall is already applied to server with ID '{1}'": 'The firewall is applied to server {1} already.',
  'firewall with ID {1} is still in use': 'Firewall {1} is in use. Take it out of use first.',
  'placement group with ID {1} contains already {2} servers': 'Placement group {1} has {2} servers, and is full.',
  'no {1} address is available': 'There is no {1} address left.',
  'a server has at most {1} open consoles': 'A server has at most {1} open consoles.',
  '{1} is locked: an action is already running': 'An action is running on this {1}. Try again when it has ended.',
  '{1} deletion is protected': 'The {1} is protected from deletion. Take the protection off first.',
  "{1} with ID '{2}' changed during the request; please retry":
    'The {1} {2} was changed elsewhere at the same time. Look at it and try again.',
  'another change of the {1} is under way; please retry':
    'The {1} was changed elsewhere at the same time. Look at it and try again.',
}
