// Package wolketest gives tests of infrastructure code clouds of their own.
//
// Under `wolke exec` Start takes the cloud of that command; else it starts one by WOLKE_BIN (words of a command, separated
// by spaces), by `wolke` where that is a program, or by the package that npm has installed.
package wolketest

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Cloud is a cloud in memory. Its methods end the test when the cloud refuses something.
type Cloud struct {
	// Endpoint and Token are for clients of the API.
	Endpoint, Token string
	// URL is the base of what only Wolke has.
	URL      string
	labToken string
}

// Env returns the variables by which programs find the cloud, such as Terraform and hcloud, each as NAME=value.
func (c *Cloud) Env() []string {
	storage := strings.TrimSuffix(c.Endpoint, "/v1") + "/storage/v1"
	return []string{"HCLOUD_ENDPOINT=" + c.Endpoint, "HETZNER_ENDPOINT=" + storage, "HCLOUD_TOKEN=" + c.Token}
}

// Start returns a cloud that ends with the test; options are further ones of `wolke serve`.
func Start(t testing.TB, options ...string) *Cloud {
	t.Helper()
	if token, under := os.LookupEnv("WOLKE_LAB_TOKEN"); under && len(options) == 0 {
		return &Cloud{os.Getenv("HCLOUD_ENDPOINT"), os.Getenv("HCLOUD_TOKEN"), os.Getenv("WOLKE_URL"), token}
	}
	folder := t.TempDir()
	ready := filepath.Join(folder, "ready.json")
	token := randomToken()
	words := append(program(), "serve", "--database", "memory", "--listen", "127.0.0.1:0", "--dns-listen", "127.0.0.1:0",
		"--metadata-listen", "127.0.0.1:0", "--rate-limit", "off", "--ready-file", ready)
	server := exec.Command(words[0], append(words[1:], options...)...)
	// A token in the arguments could be read by every account of the machine.
	server.Env = append(os.Environ(), "WOLKE_TOKEN="+token, "TMPDIR="+folder)
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatalf("wolke cannot be started: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	found := wait(t, ready, ended, &log)
	t.Cleanup(func() {
		// The server may be behind a program that started it.
		_ = syscall.Kill(found.Pid, syscall.SIGTERM)
		<-ended
	})
	return &Cloud{found.BaseURL, token, strings.TrimSuffix(found.BaseURL, "/v1") + "/wolke/v1", found.LabToken}
}

// Fork returns a cloud that begins as this one is now, goes its own way, and ends with the test.
func (c *Cloud) Fork(t testing.TB) *Cloud {
	t.Helper()
	var made struct {
		Fork struct {
			ID       int    `json:"id"`
			BaseURL  string `json:"base_url"`
			WolkeURL string `json:"wolke_url"`
		} `json:"fork"`
	}
	c.Lab(t, "POST", "/forks", map[string]string{"ttl": "24d"}, &made)
	t.Cleanup(func() { c.Lab(t, "DELETE", fmt.Sprintf("/forks/%d", made.Fork.ID), nil, nil) })
	return &Cloud{made.Fork.BaseURL, c.Token, made.Fork.WolkeURL, c.labToken}
}

// Reset puts everything back as it was at the beginning.
func (c *Cloud) Reset(t testing.TB) {
	t.Helper()
	c.Lab(t, "POST", "/reset", nil, nil)
}

type clock struct {
	Clock struct {
		Now time.Time `json:"now"`
	} `json:"clock"`
}

// Now returns the time of the cloud's clock.
func (c *Cloud) Now(t testing.TB) time.Time {
	t.Helper()
	var told clock
	c.Lab(t, "GET", "/clock", nil, &told)
	return told.Clock.Now
}

// Advance moves time on, and lets everything happen that is due until then. It returns the new time.
func (c *Cloud) Advance(t testing.TB, by time.Duration) time.Time {
	t.Helper()
	var told clock
	c.Lab(t, "POST", "/clock/advance", map[string]string{"by": inUnits(by)}, &told)
	return told.Clock.Now
}

func inUnits(by time.Duration) string {
	return fmt.Sprintf("%ds%dms", by/time.Second, (by%time.Second).Milliseconds())
}

// SetClock lets time run ("running"), stand still ("frozen") or skip to what somebody waits for ("skip").
func (c *Cloud) SetClock(t testing.TB, mode string) {
	t.Helper()
	c.Lab(t, "PUT", "/clock", map[string]string{"mode": mode}, nil)
}

// Lab asks what only Wolke has, below /wolke/v1, and reads the answer into reply unless that is nil.
func (c *Cloud) Lab(t testing.TB, method, path string, body, reply any) {
	t.Helper()
	if err := c.ask(method, path, body, reply); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}

func (c *Cloud) ask(method, path string, body, reply any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, c.URL+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.labToken)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 400 {
		return fmt.Errorf("%s: %s", response.Status, text)
	}
	if reply == nil {
		return nil
	}
	return json.Unmarshal(text, reply)
}

func program() []string {
	if words, ok := os.LookupEnv("WOLKE_BIN"); ok {
		return strings.Fields(words)
	}
	if path, err := exec.LookPath("wolke"); err == nil {
		return []string{path}
	}
	return []string{"npx", "--no-install", "wolke"}
}

func randomToken() string {
	token := make([]byte, 32)
	if _, err := rand.Read(token); err != nil {
		panic(err)
	}
	return hex.EncodeToString(token)
}

type readiness struct {
	BaseURL  string `json:"base_url"`
	LabToken string `json:"lab_token"`
	Pid      int    `json:"pid"`
}

func wait(t testing.TB, ready string, ended <-chan error, log *bytes.Buffer) readiness {
	t.Helper()
	for {
		select {
		case err := <-ended:
			t.Fatalf("wolke ended: %v\n%s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
		text, err := os.ReadFile(ready)
		if os.IsNotExist(err) {
			continue
		}
		var found readiness
		if err == nil {
			err = json.Unmarshal(text, &found)
		}
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
}
