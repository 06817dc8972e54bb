/** The parts of the X.509 library in use, and the imports that it needs first. Only `loadX509` imports this module. */
import 'reflect-metadata'

export { AsnConvert } from '@peculiar/asn1-schema'
export {
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_nameConstraints as nameConstraintsId,
  NameConstraints,
} from '@peculiar/asn1-x509'
export {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  type PublicKeyType,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
