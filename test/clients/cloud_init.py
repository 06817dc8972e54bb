"""cloud-init's own data source reads a server's metadata: prints what it made of it as JSON, or fails with a traceback.

Arguments: the folder of cloud-init's Python packages, the URL that ends in /v1, the server's id, an empty folder.
What needs a machine of the cloud is put in its place: DMI, and the network interface that DHCP would configure.
"""

import contextlib
import json
import os
import sys

packages, url, server_id, folder = sys.argv[1:]
sys.path.insert(0, packages)

from cloudinit import dmi, helpers  # noqa: E402
from cloudinit.sources import DataSourceHetzner as module  # noqa: E402

MACHINE = {"system-manufacturer": "Hetzner", "system-serial-number": server_id}
dmi.read_dmi_data = MACHINE.get
module.net.find_fallback_nic = lambda *args: "eth0"
for name in ("EphemeralDHCPv4", "EphemeralIPNetwork"):
    if hasattr(module, name):
        setattr(module, name, lambda *args, **kwargs: contextlib.nullcontext())


class Distro:
    """The little that the data source asks of a distribution."""

    name = "debian"
    fallback_interface = "eth0"

    def get_tmp_exec_path(self):
        return folder


settings = {
    "datasource": {
        "Hetzner": {
            "metadata_url": f"{url}/metadata",
            "userdata_url": f"{url}/userdata",
            "retries": 0,
        }
    }
}
paths = helpers.Paths({"cloud_dir": os.path.join(folder, "cloud"), "run_dir": os.path.join(folder, "run")})
source = module.DataSourceHetzner(settings, Distro(), paths)
assert source._get_data(), "it does not take this for its cloud"
print(
    json.dumps(
        {
            "instance_id": source.get_instance_id(),
            "hostname": source.metadata["local-hostname"],
            "read": source.metadata_full,
            "user_data": source.userdata_raw.decode(),
        }
    )
)
