package wolke.junit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives methods with a parameter of type Wolke a cloud of their own, which ends after them: each test has a fork of the
 * cloud of its class, in which what BeforeAll has set up is there.
 *
 * <p>Under `wolke exec` all are forks of the cloud of that command. Else one is started by WOLKE_BIN (words of a command,
 * separated by spaces), by `wolke` where that is a program, or by the package that npm has installed.
 */
public final class WolkeExtension implements ParameterResolver {
  private static final Namespace namespace = Namespace.create(WolkeExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Wolke.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return cloudOf(context);
  }

  private static Wolke cloudOf(ExtensionContext context) {
    return context
        .getStore(namespace)
        .getOrComputeIfAbsent(
            context.getUniqueId(),
            id -> context.getParent().map(parent -> cloudOf(parent).fork()).orElseGet(WolkeExtension::first),
            Wolke.class);
  }

  private static Wolke first() {
    var env = System.getenv();
    String labToken = env.get("WOLKE_LAB_TOKEN");
    if (labToken == null) return start();
    return new Wolke(env.get("HCLOUD_ENDPOINT"), env.get("HCLOUD_TOKEN"), env.get("WOLKE_URL"), labToken, () -> {});
  }

  private static Wolke start() {
    try {
      Path folder = Files.createTempDirectory("wolke-junit-");
      Path ready = folder.resolve("ready.json");
      Path log = folder.resolve("log");
      String token = randomToken();
      var command = new ArrayList<>(program());
      command.addAll(List.of("serve", "--database", "memory", "--listen", "127.0.0.1:0", "--dns-listen", "127.0.0.1:0"));
      command.addAll(List.of("--metadata-listen", "127.0.0.1:0", "--rate-limit", "off", "--ready-file", ready.toString()));
      var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
      // A token in the arguments could be read by every account of the machine.
      builder.environment().put("WOLKE_TOKEN", token);
      builder.environment().put("TMPDIR", folder.toString());
      Process server = builder.start();
      String found = waitFor(ready, server, log);
      String base = Wolke.field(found, "base_url");
      String url = base.substring(0, base.length() - "/v1".length()) + "/wolke/v1";
      long pid = Long.parseLong(Wolke.field(found, "pid"));
      return new Wolke(base, token, url, Wolke.field(found, "lab_token"), () -> end(server, pid, folder));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }

  private static List<String> program() {
    String words = System.getenv("WOLKE_BIN");
    if (words != null) return List.of(words.trim().split("\\s+"));
    boolean isThere =
        Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(path -> new File(path, "wolke").canExecute());
    return isThere ? List.of("wolke") : List.of("npx", "--no-install", "wolke");
  }

  private static String randomToken() {
    byte[] token = new byte[32];
    new SecureRandom().nextBytes(token);
    return HexFormat.of().formatHex(token);
  }

  private static String waitFor(Path ready, Process server, Path log) throws IOException, InterruptedException {
    while (!Files.exists(ready)) {
      if (!server.isAlive())
        throw new IllegalStateException("wolke ended with " + server.exitValue() + ": " + Files.readString(log));
      Thread.sleep(20);
    }
    return Files.readString(ready);
  }

  private static void end(Process server, long pid, Path folder) {
    // The server may be behind a program that started it.
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
    server.onExit().join();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
