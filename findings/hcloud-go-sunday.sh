#!/usr/bin/env bash
# hcloud-go 2.47.0: the plan of a Storage Box for Sundays has `day_of_week` 7 in the API, whose days are 1 to 7. The library
# reads it as Go's Sunday, and writes 7 again in a request. SchemaFromStorageBox, which turns a box into the form of the API,
# writes 0 instead; all other days stay as they are. The hcloud command line (1.67.0) prints what comes of it with `-o json`
# and `-o yaml`, so a script that sends the printed day to the API asks for one that does not exist.
#
# Seen (day in the API, that of Go, and what SchemaFromStorageBox makes of it):
#   1 Monday 1 ... 6 Saturday 6, and 7 Sunday 0
#
# Fails when this changes. Needs go. Nobody is asked for anything but the module.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"
)

func main() {
	for day := 1; day <= 7; day++ {
		plan := &schema.StorageBoxSnapshotPlan{MaxSnapshots: 1, DayOfWeek: &day}
		box := hcloud.StorageBoxFromSchema(schema.StorageBox{SnapshotPlan: plan})
		fmt.Println(day, *box.SnapshotPlan.DayOfWeek, *hcloud.SchemaFromStorageBox(box).SnapshotPlan.DayOfWeek)
	}
}
GO
go mod init example.com/sunday >log 2>&1 && go get github.com/hetznercloud/hcloud-go/v2/hcloud@v2.47.0 >>log 2>&1 || {
  cat log
  exit 1
}
go list -m github.com/hetznercloud/hcloud-go/v2
go run . | tee seen
diff seen - <<'SEEN' >/dev/null
1 Monday 1
2 Tuesday 2
3 Wednesday 3
4 Thursday 4
5 Friday 5
6 Saturday 6
7 Sunday 0
SEEN
