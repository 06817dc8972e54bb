#!/usr/bin/env bash
# dns-lexicon 3.25.2: `resolve_zone_name: False` in a configuration does the same as True. The client then asks the
# machine's resolver for the zone of the domain, and uses what it says instead of the domain that it was given; only who
# leaves the setting out is not asked about it, because the client looks whether it is None. Its own command line
# always sets it, to False by default, so that every call of `lexicon` resolves.
#
# Seen (whether the resolver is asked):
#   left out  no
#   True      yes
#   False     yes
#   lexicon   yes
#
# Fails when this changes. Needs python3 with venv. The resolver is replaced, and the API is asked through a proxy that is
# not there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet install dns-lexicon==3.25.2
cd "$folder"
HTTPS_PROXY=http://127.0.0.1:1 TLDEXTRACT_CACHE="$folder" "$folder/venv/bin/python" - <<'PYTHON'
import importlib.metadata
import logging
import sys

import dns.name
import dns.resolver
import tldextract

asked = []


def resolve(domain, *_, **__):
    asked.append(domain)
    return dns.name.from_text("example.com.")


dns.resolver.zone_for_name = resolve
# The list that is packaged, as the newest one is on the internet.
offline = tldextract.TLDExtract
tldextract.TLDExtract = lambda **given: offline(**{**given, "suffix_list_urls": ()})

from lexicon._private.cli import main  # noqa: E402
from lexicon.client import Client  # noqa: E402
from lexicon.config import ConfigResolver  # noqa: E402

logging.disable()
print("dns-lexicon", importlib.metadata.version("dns-lexicon"))
zone = {"provider_name": "hetzner", "domain": "www.example.com", "hetzner": {"auth_token": "x" * 64}}


def seen(title, start):
    asked.clear()
    try:
        start()
    except SystemExit:
        pass
    except Exception as error:
        # Only the resolver is of interest; whatever comes after it may fail, as there is no API.
        print(f"  ({title}: {type(error).__name__})")
    print(f"{title:<10}{'yes' if asked else 'no'}")
    return bool(asked)


def configured(**more):
    return lambda: Client(ConfigResolver().with_dict({**zone, **more}))


def called():
    sys.argv = ["lexicon", "hetzner", "--auth-token", "x" * 64, "list", "www.example.com", "TXT"]
    main()


results = [
    seen("left out", configured()),
    seen("True", configured(resolve_zone_name=True)),
    seen("False", configured(resolve_zone_name=False)),
    seen("lexicon", called),
]
sys.exit(results != [False, True, True, True])
PYTHON
