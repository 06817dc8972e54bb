package wolke.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/** A cloud in memory. Its methods throw IllegalStateException when it refuses something. */
public final class Wolke implements AutoCloseable, CloseableResource {
  private static final HttpClient client = HttpClient.newHttpClient();

  private final String endpoint;
  private final String token;
  private final String url;
  private final String labToken;
  private final Runnable end;

  Wolke(String endpoint, String token, String url, String labToken, Runnable end) {
    this.endpoint = endpoint;
    this.token = token;
    this.url = url;
    this.labToken = labToken;
    this.end = end;
  }

  /** The base URL of the API. */
  public String endpoint() {
    return endpoint;
  }

  /** The token for the API. */
  public String token() {
    return token;
  }

  /** The variables by which programs find the cloud, such as Terraform and hcloud. */
  public Map<String, String> environment() {
    String storage = endpoint.replaceAll("/v1$", "/storage/v1");
    return Map.of("HCLOUD_ENDPOINT", endpoint, "HETZNER_ENDPOINT", storage, "HCLOUD_TOKEN", token);
  }

  /** A cloud that begins as this one is now and goes its own way, until it is closed. */
  public Wolke fork() {
    String made = lab("POST", "/forks", "{\"ttl\": \"24d\"}");
    String id = field(made, "id");
    Runnable end = () -> lab("DELETE", "/forks/" + id, null);
    return new Wolke(field(made, "base_url"), token, field(made, "wolke_url"), labToken, end);
  }

  /** Puts everything back as it was at the beginning. */
  public void reset() {
    lab("POST", "/reset", null);
  }

  /** The time of its clock. */
  public Instant now() {
    return Instant.parse(field(lab("GET", "/clock", null), "now"));
  }

  /** Moves time on, and lets everything happen that is due until then. Returns the new time. */
  public Instant advance(Duration by) {
    String target = "{\"by\": \"" + by.toSeconds() + "s" + by.toMillisPart() + "ms\"}";
    return Instant.parse(field(lab("POST", "/clock/advance", target), "now"));
  }

  /** Lets time run ("running"), stand still ("frozen") or skip to what somebody waits for ("skip"). */
  public void setClock(String mode) {
    lab("PUT", "/clock", "{\"mode\": \"" + mode + "\"}");
  }

  /** Asks what only Wolke has, below /wolke/v1, with a body in JSON or null; returns the answer. */
  public String lab(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + path))
            .header("Authorization", "Bearer " + labToken)
            .header("Content-Type", "application/json")
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build();
    try {
      var reply = client.send(request, BodyHandlers.ofString());
      if (reply.statusCode() < 400) return reply.body();
      throw new IllegalStateException(method + " " + path + ": " + reply.statusCode() + " " + reply.body());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }

  @Override
  public void close() {
    end.run();
  }

  /** The first field of this name in an answer, which is a text or a number. */
  static String field(String json, String name) {
    var found = Pattern.compile("\"" + name + "\":\\s*(?:\"([^\"]*)\"|(\\d+))").matcher(json);
    if (!found.find()) throw new IllegalStateException("there is no " + name + " in " + json);
    return found.group(1) == null ? found.group(2) : found.group(1);
  }
}
