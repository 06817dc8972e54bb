#!/usr/bin/env bash
# Clients of the hcloud API have a second endpoint, for Storage Boxes. Who sets only the first one sends the token to the
# vendor's public host with such requests. This asks three clients for the types of Storage Boxes, in each way in which
# an endpoint can be set, and prints whom they ask. Nothing leaves the machine: the first endpoint is a recorder on
# loopback, and everything else goes to a proxy there that refuses it. The token is made up.
#
# Needs go, python3 with venv, and terraform (only for the part about its provider, which is left out without it).
# Exits with 1 when any client behaves otherwise than written here.
set -euo pipefail

go_version=v2.47.0       # github.com/hetznercloud/hcloud-go/v2, which the hcloud command line is made of
python_version=2.27.0    # hcloud
provider_version=v1.68.0 # github.com/hetznercloud/terraform-provider-hcloud

work=$(mktemp -d)
recorder=''
cleanup() {
  [ -z "$recorder" ] || kill "$recorder" 2>/dev/null || true
  chmod -R u+w "$work" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

# ---- The recorder and the proxy, in one process ---------------------------------------------------------------------

cat >"$work/record.py" <<'PY'
import http.server, json, sys, threading

log, ports = sys.argv[1:]
pages = dict.fromkeys(["page", "per_page", "last_page", "total_entries"], 1) | {"previous_page": None, "next_page": None}

def note(line):
    with open(log, "a") as file:
        file.write(line + "\n")

class Recorder(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        note(f"here {self.path.split('?')[0]}")
        body = json.dumps({"storage_box_types": [], "meta": {"pagination": pages}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass

class Proxy(http.server.BaseHTTPRequestHandler):
    def refuse(self):
        note(f"elsewhere {self.path}")
        self.send_error(403)
    do_CONNECT = do_GET = refuse
    def log_message(self, *_): pass

servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind) for kind in (Recorder, Proxy)]
for server in servers:
    threading.Thread(target=server.serve_forever).start()
with open(ports, "w") as file:
    print(*[server.server_port for server in servers], file=file)
PY
python3 "$work/record.py" "$work/log" "$work/ports" &
recorder=$!
until [ -s "$work/ports" ]; do sleep 0.1; done
read -r here proxy <"$work/ports"
url="http://127.0.0.1:$here/v1"
token=$(printf 'x%.0s' $(seq 64))

# ---- What is asked --------------------------------------------------------------------------------------------------

changed=0

# expect WHOM WHAT COMMAND...: runs the command, prints whom it has asked, and compares.
expect() {
  local whom=$1 what=$2 code=0
  shift 2
  : >"$work/log"
  env HOME="$work" HCLOUD_TOKEN="$token" HTTPS_PROXY="http://127.0.0.1:$proxy" HTTP_PROXY="http://127.0.0.1:$proxy" \
    NO_PROXY=127.0.0.1 "$@" >"$work/output" 2>&1 || code=$?
  local asked
  asked=$(sort -u "$work/log" | paste -sd, -)
  printf '  %-74s %s (exit code %s)\n' "$what" "${asked:-nobody}" "$code"
  if [ "$asked" != "$whom" ]; then
    printf '  ^ was: %s\n' "$whom"
    sed 's/^/    /' "$work/output"
    changed=1
  fi
}

here_only='here /v1/storage_box_types'
vendor='elsewhere api.hetzner.com:443'

echo "hcloud-go $go_version:"
mkdir "$work/go"
cat >"$work/go/main.go" <<'GO'
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

func main() {
	options := []hcloud.ClientOption{hcloud.WithToken(os.Getenv("HCLOUD_TOKEN")), hcloud.WithEndpoint(os.Getenv("HCLOUD_ENDPOINT"))}
	if second := os.Getenv("HETZNER_ENDPOINT"); second != "" {
		options = append(options, hcloud.WithHetznerEndpoint(second))
	}
	if _, err := hcloud.NewClient(options...).StorageBoxType.All(context.Background()); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
GO
(
  cd "$work/go"
  go mod init example.com/second >/dev/null 2>&1
  go get "github.com/hetznercloud/hcloud-go/v2/hcloud@$go_version" >/dev/null 2>&1
  go build -o second .
)
expect "$vendor" 'WithEndpoint alone' env HCLOUD_ENDPOINT="$url" "$work/go/second"
expect "$here_only" 'WithEndpoint and WithHetznerEndpoint' \
  env HCLOUD_ENDPOINT="$url" HETZNER_ENDPOINT="$url" "$work/go/second"

echo "Python library $python_version:"
python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet --disable-pip-version-check "hcloud==$python_version"
script='import os, sys; from hcloud import Client
Client(token=os.environ["HCLOUD_TOKEN"], **dict.fromkeys(sys.argv[2:], sys.argv[1])).storage_box_types.get_all()'
expect "$vendor" 'api_endpoint alone' "$work/python/bin/python" -c "$script" "$url" api_endpoint
expect "$here_only" 'api_endpoint and api_endpoint_hetzner' \
  "$work/python/bin/python" -c "$script" "$url" api_endpoint api_endpoint_hetzner

if command -v terraform >/dev/null; then
  echo "Terraform provider $provider_version, $(terraform version 2>/dev/null | head -n 1):"
  mkdir "$work/provider"
  (
    cd "$work/provider"
    path=github.com/hetznercloud/terraform-provider-hcloud
    go mod init example.com/provider >/dev/null 2>&1
    go mod edit -require="$path@$provider_version"
    go build -mod=mod -o "$work/bin/terraform-provider-hcloud" "$path"
  )
  printf 'provider_installation {\n  dev_overrides { "hetznercloud/hcloud" = "%s" }\n  direct {}\n}\n' \
    "$work/bin" >"$work/terraform.rc"
  # configure LINE...: a configuration with these lines in the block of the provider.
  configure() {
    mkdir -p "$work/terraform"
    {
      printf 'terraform {\n  required_providers {\n    hcloud = { source = "hetznercloud/hcloud" }\n  }\n}\n'
      printf 'provider "hcloud" {\n'
      printf '  %s\n' "$@"
      printf '}\ndata "hcloud_storage_box_types" "all" {}\n'
    } >"$work/terraform/main.tf"
  }
  plan=(terraform -chdir="$work/terraform" plan -no-color -input=false)
  settings=(env "TF_CLI_CONFIG_FILE=$work/terraform.rc" CHECKPOINT_DISABLE=1)
  configure "endpoint = \"$url\""
  expect "$vendor" 'endpoint alone' "${settings[@]}" "${plan[@]}"
  configure "endpoint = \"$url\"" "endpoint_hetzner = \"$url\""
  expect "$here_only" 'endpoint and endpoint_hetzner' "${settings[@]}" "${plan[@]}"
  configure ''
  expect "$here_only" 'HCLOUD_ENDPOINT and HETZNER_ENDPOINT' \
    "${settings[@]}" HCLOUD_ENDPOINT="$url" HETZNER_ENDPOINT="$url" "${plan[@]}"
  # The provider takes the value of `endpoint` where it should take that of `endpoint_hetzner`.
  configure "endpoint_hetzner = \"$url\""
  expect "$vendor" 'HCLOUD_ENDPOINT, and endpoint_hetzner in the block' \
    "${settings[@]}" HCLOUD_ENDPOINT="$url" "${plan[@]}"
  expect "$vendor" 'HCLOUD_ENDPOINT and HETZNER_ENDPOINT, and endpoint_hetzner in the block' \
    "${settings[@]}" HCLOUD_ENDPOINT="$url" HETZNER_ENDPOINT="$url" "${plan[@]}"
  configure "endpoint = \"$url\"" 'endpoint_hetzner = "http://127.0.0.1:1/v1"'
  expect "$here_only" 'endpoint, and another endpoint_hetzner' "${settings[@]}" "${plan[@]}"
else
  echo 'Terraform provider: left out, there is no terraform'
fi

if [ "$changed" = 0 ]; then echo 'as written here'; else echo 'something has changed'; fi
exit "$changed"
