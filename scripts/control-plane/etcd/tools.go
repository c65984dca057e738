//go:build tools

// Package tools names the program that scripts/control-plane.sh builds.
package tools

import _ "go.etcd.io/etcd/server/v3"
