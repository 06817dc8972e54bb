/** Fehler in Worten, nach Code: was geschah und was zu tun ist. */
import type { errors as English } from '../en/errors.ts'

export { refusals as slices } from '../../generated/refusals.de.ts'

export const errors: typeof English = {
  unchanged: 'Nichts wurde geändert.',
  uncertain: 'Ob es geschehen ist, ist nicht bekannt. Vor einem neuen Versuch nachsehen.',
  refused: 'Der Server nimmt das nicht an:',
  byCode: {
    elevation_required: 'Noch einmal anmelden. Dafür muss die Anmeldung jünger als zehn Minuten sein.',
    wrong_credentials: 'Passwort oder Code stimmt nicht.',
    last_credential: 'Es ist der letzte Weg, sich anzumelden. Zuerst einen anderen hinzufügen.',
    last_admin: 'Sonst verwaltet niemand die Installation. Zuerst jemand anderen verwalten lassen.',
    person_disabled: 'Dieser Mensch kann sich nicht anmelden. Das zuerst wieder erlauben.',
    mail_not_retryable:
      'Nur aufgegebene oder ins Log geschriebene Mail wird erneut gesendet, an ein Projekt mit Eigentümer.',
    weak_password: 'Dieses Passwort ist zu leicht zu erraten.',
    member_is_owner: 'Der Eigentümer behält diese Rolle. Zuerst das Projekt übertragen.',
    project_not_empty: 'Das Projekt ist nicht leer. Zuerst löschen, was darin ist.',
    json_error: 'Die Anfrage war kein gültiges JSON.',
    unauthorized: 'Die Sitzung ist beendet. Neu anmelden.',
    token_readonly: 'Diese Sitzung darf nur lesen.',
    forbidden: 'Die eigene Rolle erlaubt das nicht.',
    maintenance: 'Daran wird gerade gearbeitet. Später erneut versuchen.',
    resource_limit_exceeded:
      'Das Projekt hat so viele davon, wie sein Limit erlaubt. Einige löschen oder das Limit erhöhen lassen.',
    not_found: 'Das gibt es nicht oder nicht mehr.',
    method_not_allowed: 'Das tut der Server hier nicht.',
    uniqueness_error: 'Etwas anderes hat diesen Namen oder Wert schon.',
    conflict: 'Es wurde gleichzeitig anderswo geändert. Ansehen und erneut versuchen.',
    deprecated_api_endpoint: 'Die API hat diese Operation nicht mehr.',
    resource_unavailable: 'Dafür ist dort kein Platz. Anderen Standort oder Typ wählen.',
    invalid_input: 'Einiges ist ungültig. Die Felder sagen, was.',
    service_error: 'Der Server konnte es in seinem jetzigen Zustand nicht tun.',
    unsupported_error: 'Das geht damit nicht.',
    locked: 'Darauf läuft eine Aktion. Nach ihrem Ende erneut versuchen.',
    protected: 'Es ist geschützt. Zuerst den Schutz aufheben.',
    rate_limit_exceeded: 'Zu viele Anfragen in dieser Stunde. Einen Moment warten.',
    server_error: 'Der Server hat versagt. Sein Log nennt den Grund unter der Correlation-ID.',
    unavailable: 'Der Server kann gerade nicht arbeiten. Erneut versuchen.',
    timeout: 'Es dauerte zu lange und wurde aufgegeben.',
    unreachable: 'Der Server antwortet nicht. Die Verbindung prüfen.',
    unreadable: 'Die Antwort war nicht lesbar.',
    must_be_unassigned: 'Es ist zugewiesen. Zuerst lösen.',
    resource_in_use: 'Etwas benutzt es. Zuerst außer Gebrauch nehmen.',
    server_already_added: 'Das ist schon da.',
    server_already_attached: 'Das hängt schon daran.',
  },
}
