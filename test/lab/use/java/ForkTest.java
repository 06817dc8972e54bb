import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import wolke.junit.Wolke;
import wolke.junit.WolkeExtension;

/** What the extension promises. */
@ExtendWith(WolkeExtension.class)
class ForkTest {
  private static Wolke prepared;

  private static String ask(Wolke cloud, String method, String body) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(cloud.endpoint() + "/firewalls"))
            .header("Authorization", "Bearer " + cloud.token())
            .header("Content-Type", "application/json")
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    var reply = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    assertTrue(reply.statusCode() < 300, reply.body());
    return reply.body();
  }

  private static void makeFirewall(Wolke cloud, String name) throws Exception {
    ask(cloud, "POST", "{\"name\": \"" + name + "\"}");
  }

  private static List<String> firewalls(Wolke cloud) throws Exception {
    return Pattern.compile("\"name\":\"(\\w+)\"").matcher(ask(cloud, "GET", null)).results().map(m -> m.group(1)).toList();
  }

  @BeforeAll
  static void prepare(Wolke cloud) throws Exception {
    prepared = cloud;
    makeFirewall(cloud, "prepared");
  }

  @Test
  void eachTestHasItsOwnCloud(Wolke cloud) throws Exception {
    makeFirewall(cloud, "first");
    assertEquals(List.of("prepared", "first"), firewalls(cloud));
    assertEquals(List.of("prepared"), firewalls(prepared));
  }

  @Test
  void soHasAnother(Wolke cloud) throws Exception {
    makeFirewall(cloud, "second");
    assertEquals(List.of("prepared", "second"), firewalls(cloud));
    try (Wolke fork = cloud.fork()) {
      makeFirewall(fork, "third");
      assertEquals(List.of("prepared", "second", "third"), firewalls(fork));
    }
    cloud.reset();
    assertEquals(List.of(), firewalls(cloud));
  }

  @Test
  void timeIsMoved(Wolke cloud) {
    cloud.setClock("frozen");
    var before = cloud.now();
    assertEquals(before.plus(Duration.ofDays(90)), cloud.advance(Duration.ofDays(90)));
    assertThrows(IllegalStateException.class, () -> cloud.setClock("backwards"));
  }

  @Test
  void programsFindIt(Wolke cloud) throws Exception {
    String ask = "curl -sf -H \"Authorization: Bearer $HCLOUD_TOKEN\" \"$HCLOUD_ENDPOINT/servers\"";
    var program = new ProcessBuilder("sh", "-c", ask);
    program.environment().putAll(cloud.environment());
    assertEquals(0, program.start().waitFor());
  }
}
