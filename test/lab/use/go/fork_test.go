// Package test shows what wolketest promises, with the vendor's library.
package test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"wolke.example/wolketest"
)

func clientOf(cloud *wolketest.Cloud) *hcloud.Client {
	return hcloud.NewClient(hcloud.WithEndpoint(cloud.Endpoint), hcloud.WithHetznerEndpoint(cloud.Endpoint),
		hcloud.WithToken(cloud.Token), hcloud.WithPollOpts(hcloud.PollOpts{BackoffFunc: hcloud.ConstantBackoff(time.Millisecond)}))
}

func firewalls(t *testing.T, cloud *wolketest.Cloud) []string {
	t.Helper()
	all, err := clientOf(cloud).Firewall.All(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, one := range all {
		names = append(names, one.Name)
	}
	return names
}

func makeFirewall(t *testing.T, cloud *wolketest.Cloud, name string) {
	t.Helper()
	if _, _, err := clientOf(cloud).Firewall.Create(context.Background(), hcloud.FirewallCreateOpts{Name: name}); err != nil {
		t.Fatal(err)
	}
}

func has(t *testing.T, cloud *wolketest.Cloud, wanted ...string) {
	t.Helper()
	if found := firewalls(t, cloud); !slices.Equal(found, wanted) {
		t.Errorf("there are %v, not %v", found, wanted)
	}
}

func TestEachTestHasItsOwnCloud(t *testing.T) {
	cloud := wolketest.Start(t)
	makeFirewall(t, cloud, "prepared")
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fork := cloud.Fork(t)
			makeFirewall(t, fork, name)
			has(t, fork, "prepared", name)
			has(t, cloud, "prepared")
		})
	}
}

func TestTimeIsMoved(t *testing.T) {
	fork := wolketest.Start(t).Fork(t)
	fork.SetClock(t, "frozen")
	before := fork.Now(t)
	if after := fork.Advance(t, 90*24*time.Hour); !after.Equal(before.Add(90 * 24 * time.Hour)) {
		t.Errorf("%v has become %v", before, after)
	}
}

func TestACloudIsReset(t *testing.T) {
	cloud := wolketest.Start(t, "--limits", "firewalls=1")
	makeFirewall(t, cloud, "only")
	_, _, err := clientOf(cloud).Firewall.Create(context.Background(), hcloud.FirewallCreateOpts{Name: "surplus"})
	if !hcloud.IsError(err, hcloud.ErrorCodeResourceLimitExceeded) {
		t.Errorf("the limit does not hold: %v", err)
	}
	cloud.Reset(t)
	has(t, cloud)
}

func TestProgramsFindIt(t *testing.T) {
	ask := exec.Command("sh", "-c", `curl -sf -H "Authorization: Bearer $HCLOUD_TOKEN" "$HCLOUD_ENDPOINT/servers"`)
	ask.Env = append(os.Environ(), wolketest.Start(t).Env()...)
	if output, err := ask.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
}
