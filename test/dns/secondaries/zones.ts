/** A zone that has one of everything that is not easily served, and the names that it is asked for. */
import { type Question, type TypeName, types } from './messages.ts'

export type Signing = 'unsigned' | 'NSEC' | 'NSEC3' | 'opt-out'

export const zoneNames: Readonly<Record<Signing, string>> = {
  unsigned: 'unsigned.example',
  NSEC: 'nsec.example',
  NSEC3: 'nsec3.example',
  'opt-out': 'opt-out.example',
}

const long = (length: number) => 'l'.repeat(length)

/** The zone as a zone file, without keys and signatures. */
export const zonefile = `$TTL 300
@ IN SOA ns hostmaster.odd\\.name 1 3600 600 86400 60
@ NS ns
@ NS ns.elsewhere.test.
@ MX 10 mail
@ MX 20 odd\\032mail
@ MX 30 mail.elsewhere.test.
@ TXT "text" "more \\255 text"
@ CAA 0 issue "ca.test"
ns A 192.0.2.53
ns AAAA 2001:db8::53
mail 120 A 192.0.2.25
odd\\032mail A 192.0.2.26
www 600 A 192.0.2.80
www 600 A 192.0.2.81
www 60 AAAA 2001:db8::80
; Names of services as they are announced, and others that are no host names.
_ipp._tcp PTR My\\032Printer._ipp._tcp
_ipp._tcp PTR B\\195\\188ro\\032\\(2\\.\\032Stock\\)\\032\\000\\127\\255._ipp._tcp
My\\032Printer._ipp._tcp SRV 0 0 631 printer
My\\032Printer._ipp._tcp TXT "rp=ipp/print"
B\\195\\188ro\\032\\(2\\.\\032Stock\\)\\032\\000\\127\\255._ipp._tcp SRV 0 0 631 odd\\032mail
printer A 192.0.2.63
\\@at TXT "at"
quo\\"te\\;semicolon\\\\backslash\\$ TXT "signs"
alias\\007 CNAME odd\\032mail
toodd CNAME My\\032Printer._ipp._tcp
rp RP some\\.body.odd\\032name text\\200
Upper\\032Case PTR Mixed\\032Case
; Services with parameters that have no other spelling than bytes.
svc HTTPS 1 odd\\032mail alpn=h2,h3 port=8443
svc HTTPS 2 www.elsewhere.test.
own HTTPS 1 . alpn=h2
own A 192.0.2.65
own AAAA 2001:db8::65
alias HTTPS 0 own
nowhere HTTPS 1 nothing
_dns SVCB 1 www port=8053 key65000=abc
_bytes SVCB \\# 9 000100FDE8000200FF
; Types that are served as bytes.
naptr NAPTR 10 20 "s" "SIP+D2U" "" _sip._udp
afsdb AFSDB 1 www
minfo MINFO mail odd\\032mail
loc LOC 52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m
private TYPE65280 \\# 4 00FF2022
tlsa TLSA 3 1 1 0C72AC70B745AC19998811B131D662C9AC69DBDBE7CB23E5B514B56664C5D3D6
; Names that lead elsewhere.
chain CNAME chain2
chain2 CNAME www
gone CNAME nothing
away CNAME www.elsewhere.test.
intosecure CNAME x.secure
intodname CNAME a.dn
dn DNAME target
dn TXT "at the name itself"
a.target A 192.0.2.91
b\\032c.target A 192.0.2.92
*.wild.target A 192.0.2.93
target TXT "the target"
dnaway DNAME elsewhere.test.
dndeep DNAME dn
dnlong DNAME ${long(60)}.${long(60)}.${long(60)}
; Wildcards and empty names.
*.wild A 192.0.2.70
*.wild TXT "wild"
name.wild TXT "a name"
*.alias.wild CNAME www
*.gone.wild CNAME nothing
a.empty.b.empty TXT "below nothing"
; Delegated names, with signatures of their own and without.
secure NS ns.secure
secure NS ns
secure DS 60485 13 2 2BB183AF5F22588179A53B0A98631FAD1A2921182BB183AF5F22588179A53B0A
ns.secure A 192.0.2.54
insecure NS ns.insecure
ns.insecure A 192.0.2.55
ns.insecure AAAA 2001:db8::55
below.empty2 NS ns.elsewhere.test.
odd\\001delegation NS ns\\032.odd\\001delegation
ns\\032.odd\\001delegation A 192.0.2.56
`

/** A name below one with a DNAME record. BIND serves such a zone, and Knot refuses it. */
export const occluded = 'hidden.dn A 192.0.2.99\n'

const relativeNames = [
  ...['', 'ns', 'mail', 'odd\\032mail', 'www', 'WWW', 'nothing', 'x.www', '_ipp._tcp', '_tcp', 'printer'],
  ...['My\\032Printer._ipp._tcp', 'my\\032printer._IPP._tcp', 'No\\032Printer._ipp._tcp', '\\@at', 'alias\\007'],
  ...['B\\195\\188ro\\032\\(2\\.\\032Stock\\)\\032\\000\\127\\255._ipp._tcp', 'B\\195\\188ro._ipp._tcp', '\\000'],
  ...['quo\\"te\\;semicolon\\\\backslash\\$', 'toodd', 'rp', 'Upper\\032Case', '\\255'],
  ...['svc', 'own', 'alias', 'nowhere', '_dns', '_bytes', 'naptr', 'afsdb', 'minfo', 'loc', 'private', 'tlsa'],
  ...['chain', 'chain2', 'gone', 'away', 'intosecure', 'intodname', 'target', 'a.target'],
  ...['dn', 'a.dn', 'b\\032c.dn', 'nothing.dn', 'x.wild.dn', 'hidden.dn', 'dnaway', 'x.y.dnaway', 'dndeep', 'a.dndeep'],
  ...['dnlong', 'a.dnlong', `${long(60)}.${long(30)}.dnlong`, `${long(60)}.${long(60)}.dnlong`],
  ...['wild', 'x.wild', 'x.y.wild', '*.wild', 'name.wild', 'x.name.wild', 'x.alias.wild', 'x.gone.wild'],
  ...['empty', 'b.empty', 'a.empty.b.empty', 'x.empty', 'x.empty.b.empty', 'empty2', 'x.empty2', '\\032.wild'],
  ...['secure', 'x.secure', 'ns.secure', 'insecure', 'x.insecure', 'ns.insecure', 'below.empty2', 'x.below.empty2'],
  ...['odd\\001delegation', 'x.odd\\001delegation', 'zzz', '*', 'a.b.c.d'],
]

/** Every name of a zone, and others, with every type, with the DO bit and without. */
export function questionsAbout(zone: string): Question[] {
  return relativeNames.flatMap((relative) =>
    (Object.keys(types) as TypeName[]).flatMap((type) =>
      [false, true].map((dnssecOk) => ({ name: relative === '' ? zone : `${relative}.${zone}`, type, dnssecOk })),
    ),
  )
}
