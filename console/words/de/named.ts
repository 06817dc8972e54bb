/** Woran etwas scheitert, wenn der Server nennt, was im Weg ist: seine Meldungen als Vorlagen, vor den Worten nach Code. */
import type { Forms } from '../../lib/messages.ts'

export const named: Forms = {
  "{1} with ID '{2}' not found": '{1} {2} gibt es nicht, oder nicht mehr.',
  'the {1} no longer exists': '{1}: gibt es nicht mehr.',
  'this installation has no {1}': 'Diese Installation hat keine {1}.',
  "a project named '{1}' exists already": 'Ein Projekt {1} gibt es schon.',
  'a person with the address {1} exists already': 'Eine Person mit der Adresse {1} gibt es schon.',
  'there is an account with the address {1}: sign in to it as before, and link it in its security settings':
    'Es gibt ein Konto mit der Adresse {1}. Melde dich wie bisher an und verknüpfe es in seinen Sicherheitseinstellungen.',
  'this invitation is meant for {1}': 'Diese Einladung ist für {1}.',
  'with the role {1} nobody can give this role': 'Mit der Rolle {1} kann niemand diese Rolle vergeben.',
  'the Project still has {1}; delete them first': 'Das Projekt hat noch {1}. Lösche sie zuerst.',
  '{1} limit exceeded: {2} in use, {3} allowed':
    '{1}: {2} in Gebrauch, {3} erlaubt. Lösche einige, oder lass die Grenze erhöhen.',
  'this needs a {1} zone, and the zone is {2}': 'Das braucht eine Zone der Art {1}, und die Zone ist {2}.',
  "volume with ID '{1}' is still attached to a server": 'Volume {1} hängt noch an einem Server. Trenne es zuerst.',
  "volume with ID '{1}' is attached to server with ID '{2}' already": 'Volume {1} hängt schon an Server {2}.',
  'a server cannot have more than {1} volumes': 'Ein Server kann nicht mehr als {1} Volumes haben.',
  'cannot delete the subnet: {1} are attached to it': 'Im Subnetz: {1}. Löse sie zuerst.',
  'a network can have at most {1} {2}': 'Ein Netzwerk kann höchstens {1} {2} haben.',
  "vswitch with ID '{1}' is already used by a network": 'Den vSwitch {1} hat schon ein anderes Netzwerk.',
  'the address {1} is not available': 'Die Adresse {1} ist vergeben. Wähle eine andere.',
  'the network has no such subnet in the network zone {1}':
    'In der Netzwerkzone {1} hat das Netzwerk kein solches Subnetz.',
  'no subnet of the network holds the address {1}': 'Kein Subnetz des Netzwerks enthält die Adresse {1}.',
  'no subnet of a vSwitch holds the address {1}': 'Kein Subnetz eines vSwitch enthält die Adresse {1}.',
  "the network overlaps with network with ID '{1}' of the server":
    'Der Server ist im Netzwerk {1}, das zum Teil dieselben Adressen hat.',
  'port {1} is already used by a service': 'Auf Port {1} hört schon ein anderer Dienst.',
  "server with ID '{1}' has no public IPv4 address": 'Server {1} hat keine öffentliche IPv4-Adresse.',
  "server with ID '{1}' is not in the network of the load balancer":
    'Server {1} ist nicht im Netzwerk des Load Balancers.',
  'the address {1} is not owned by the Project': 'Die Adresse {1} gehört jemand anderem.',
  'a Load Balancer of the type {1} cannot have more {2}': 'Ein Load Balancer vom Typ {1} kann nicht mehr {2} haben.',
  'the Load Balancer has more {1} than the type {2} allows': 'Der Load Balancer hat mehr {1}, als der Typ {2} erlaubt.',
  "the floating IP must be unassigned before it is deleted: it leads to server with ID '{1}'":
    'Die Floating IP führt zu Server {1}. Löse sie zuerst.',
  'the primary IP must be unassigned before it is deleted: {1} has it':
    'Die Primary IP gehört zu: {1}. Löse sie zuerst.',
  'the primary IP is not of type {1}': 'Die Primary IP ist nicht vom Typ {1}.',
  "server with ID '{1}' must be off": 'Dafür muss Server {1} aus sein. Schalte ihn zuerst aus.',
  "server with ID '{1}' was added more than once": 'Server {1} kommt mehr als einmal vor.',
  "server with ID '{1}' has the firewall through a label selector":
    'Ein Label-Selektor wendet die Firewall auf Server {1} an. Ändere seine Labels oder den Selektor.',
  "server with ID '{1}' cannot have more than {2} firewalls": 'Server {1} kann nicht mehr als {2} Firewalls haben.',
  "the firewall is already applied to server with ID '{1}'": 'Auf Server {1} ist die Firewall schon angewandt.',
  'firewall with ID {1} is still in use': 'Firewall {1} ist in Gebrauch. Löse sie zuerst überall.',
  'placement group with ID {1} contains already {2} servers': 'Placement Group {1} hat {2} Server und ist voll.',
  'no {1} address is available': 'Es ist keine {1}-Adresse mehr frei.',
  'a server has at most {1} open consoles': 'Ein Server hat höchstens {1} offene Konsolen.',
  '{1} is locked: an action is already running': '{1}: daran läuft eine Aktion. Versuche es danach noch einmal.',
  '{1} deletion is protected': '{1}: vor dem Löschen geschützt. Nimm zuerst den Schutz weg.',
  "{1} with ID '{2}' changed during the request; please retry":
    '{1} {2}: wurde zugleich anderswo geändert. Sieh nach und versuche es noch einmal.',
  'another change of the {1} is under way; please retry':
    '{1}: wurde zugleich anderswo geändert. Sieh nach und versuche es noch einmal.',
}
