"""dns-lexicon changes records of example.com; prints what it lists after each step."""

import json
import os

from lexicon.client import Client
from lexicon.config import ConfigResolver

config = ConfigResolver().with_dict(
    {"provider_name": "hetzner", "domain": "example.com", "hetzner": {"auth_token": os.environ["HCLOUD_TOKEN"]}}
)
steps = {}

with Client(config) as records:

    def listed(kind):
        return sorted((one["name"], one["content"], one["ttl"]) for one in records.list_records(kind))

    for text in ["one", "one", "two"]:
        assert records.create_record("TXT", "_acme-challenge.example.com", text)
    steps["created"] = listed("TXT")
    assert records.delete_record(None, "TXT", "_acme-challenge.example.com", "one")
    steps["one deleted"] = listed("TXT")
    assert records.delete_record(None, "TXT", "_acme-challenge.example.com")
    steps["all deleted"] = listed("TXT")
    assert records.create_record("A", "www", "192.0.2.1")
    assert records.create_record("CNAME", "alias", "www.example.com.")
    assert records.update_record(None, "A", "www", "192.0.2.2")
    steps["updated"] = listed("A") + listed("CNAME")

print(json.dumps(steps))
