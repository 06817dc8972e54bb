/** Was der Server über Eingaben sagt, und über das, was im Weg ist. */
import type { Messages } from '../../words/slice.ts'

export const messages: Messages = {
  named: {
    'this Storage Box cannot have more than {1} snapshots':
      'Eine Storage-Box dieses Typs kann höchstens {1} Snapshots haben. Lösche erst einen.',
    'this Storage Box cannot have more than {1} subaccounts':
      'Eine Storage-Box dieses Typs kann höchstens {1} Unterkonten haben. Lösche erst eines.',
    "there is no directory '{1}'": 'Es gibt keinen Ordner {1}.',
    'It is no directory.': 'Das ist kein Ordner.',
    'There is something else than a file at this path.': 'Unter diesem Pfad ist etwas anderes als eine Datei.',
    'There is something at this path already.': 'Unter diesem Pfad ist schon etwas.',
    'It cannot be moved into itself.': 'Es lässt sich nicht in sich selbst verschieben.',
    'There is something at the new path already.': 'Unter dem neuen Pfad ist schon etwas.',
    'Its owner has forbidden this by its permissions.': 'Sein Besitzer hat das mit den Zugriffsrechten verboten.',
    'This is not possible here: something is in the way.': 'Das geht hier nicht: etwas ist im Weg.',
    'this Storage Box cannot have more than {1} bytes in files and snapshots':
      'Die Storage-Box hat dafür keinen Platz mehr. Lösche etwas, oder gib ihr einen größeren Typ.',
    'there is no such file or directory': 'Eine solche Datei oder einen solchen Ordner gibt es nicht.',
    'only a file can be downloaded': 'Nur Dateien lassen sich herunterladen.',
    'Storage Boxes of this cloud have no files': 'Storage-Boxen dieser Installation enthalten keine Dateien.',
    'the files of the Storage Box cannot be reached now':
      'Die Dateien der Storage-Box sind gerade nicht zu erreichen. Versuche es noch einmal.',
  },
  messages: {
    'must have at least {1} characters': 'muss mindestens {1} Zeichen haben',
    'may have letters, digits and {1}': 'darf Buchstaben, Ziffern und {1} enthalten',
    'must have an upper-case letter': 'braucht einen Großbuchstaben',
    'must have a lower-case letter': 'braucht einen Kleinbuchstaben',
    'must have a digit': 'braucht eine Ziffer',
    'must have a special character': 'braucht ein Sonderzeichen',
    'may have letters, digits, spaces and {1}': 'darf Buchstaben, Ziffern, Leerzeichen und {1} enthalten',
    'must not begin with a slash: it is relative to the Storage Box':
      'darf nicht mit einem Schrägstrich beginnen: der Ordner liegt in der Storage-Box',
    'must not lead out of the Storage Box': 'darf nicht aus der Storage-Box hinausführen',
    'must name something within the Storage Box': 'muss etwas in der Storage-Box nennen',
    'must be at most {1} for this type': 'darf bei diesem Typ höchstens {1} sein',
    '{1} does not offer {2}': '{1} bietet {2} nicht an',
    'the type is no longer offered': 'diesen Typ gibt es nicht mehr',
    'the Storage Box has more in it than this type has room for': 'es ist mehr darin, als dieser Typ Platz hat',
    'the Storage Box has more subaccounts than this type allows':
      'die Storage-Box hat mehr Unterkonten, als dieser Typ erlaubt',
    'the Storage Box has more snapshots than this type allows':
      'die Storage-Box hat mehr Snapshots, als dieser Typ erlaubt',
    'the Storage Box has more automatic snapshots, or a plan that keeps more, than this type allows':
      'die Storage-Box hat mehr automatische Snapshots, als dieser Typ erlaubt, oder ihr Plan behält mehr',
    'must not have a part of more than {1} characters': 'darf keinen Teil mit mehr als {1} Zeichen haben',
    'subaccount name is already used': 'ein anderes Unterkonto heißt so',
  },
}
