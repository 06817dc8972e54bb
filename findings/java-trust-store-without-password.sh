#!/usr/bin/env bash
# OpenJDK 17.0.15: whoever makes a trust store with keytool and names it with -Djavax.net.ssl.trustStore, but gives no
# password, trusts nobody at all, without a word: the store is read as if it held nothing. The first connection then
# fails with "the trustAnchors parameter must be non-empty", which names neither the file nor the password. With the
# older type of stores the password was only for a check and could be left out, as many instructions still do; keytool
# has made PKCS12 since Java 9, whose certificates are encrypted.
#
# Seen (certificates that a program trusts):
#   PKCS12, no password       0
#   PKCS12, with password     1
#   JKS, no password          1
#
# Fails when this changes. Needs java and keytool.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
make=(keytool -genkeypair -alias a -keyalg EC -dname CN=a -keystore own.p12 -storepass changeit)
"${make[@]}" >/dev/null 2>&1
keytool -exportcert -alias a -keystore own.p12 -storepass changeit -file a.der >/dev/null 2>&1
for type in PKCS12 JKS; do
  keytool -importcert -noprompt -alias a -file a.der -storetype "$type" -keystore "$type" -storepass changeit >/dev/null 2>&1
done
cat >Trusted.java <<'JAVA'
import java.security.KeyStore;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

public class Trusted {
  public static void main(String[] args) throws Exception {
    TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init((KeyStore) null);
    System.out.println(((X509TrustManager) factory.getTrustManagers()[0]).getAcceptedIssuers().length);
  }
}
JAVA
java -version 2>&1 | head -n 1
changed=0
# expect COUNT WHAT OPTION...: runs the program with these options and compares.
expect() {
  local count=$1 what=$2 seen
  shift 2
  seen=$(java "$@" Trusted.java)
  printf '%-26s%s\n' "$what" "$seen"
  [ "$seen" = "$count" ] || changed=1
}
expect 0 'PKCS12, no password' -Djavax.net.ssl.trustStore=PKCS12
expect 1 'PKCS12, with password' -Djavax.net.ssl.trustStore=PKCS12 -Djavax.net.ssl.trustStorePassword=changeit
expect 1 'JKS, no password' -Djavax.net.ssl.trustStore=JKS
exit "$changed"
