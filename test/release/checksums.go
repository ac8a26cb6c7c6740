package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const checksums = "checksums.txt"

// writeChecksums writes the SHA-256 of each file of a directory, in the form that
// sha256sum -c reads.
func writeChecksums(dir string) error {
	entries, err := os.ReadDir(dir) // in the order of names
	if err != nil {
		return fmt.Errorf("list the files of the release: %w", err)
	}
	var lines strings.Builder
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return fmt.Errorf("read a file of the release: %w", err)
		}
		fmt.Fprintf(&lines, "%s  %s\n", checksum(content), entry.Name())
	}
	if err := os.WriteFile(filepath.Join(dir, checksums), []byte(lines.String()), 0o644); err != nil {
		return fmt.Errorf("write the checksums: %w", err)
	}
	return nil
}

func checksum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
