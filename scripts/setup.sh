#!/usr/bin/env bash
# Makes sure that everything the build needs is there: cargo, a C++ compiler and,
# for the HiGHS solver, cmake with make or ninja, and libclang. What is missing is
# installed: by apt-get as root or through sudo, else by pip into .tools (nothing
# outside this folder changes). Does nothing, quickly, when all is there.
#
#   BAYPLAN_LP=rust scripts/setup.sh    the pure Rust LP solver: needs cargo and cc only
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/.tools
[ -f "$tools/env.sh" ] && . "$tools/env.sh"

has() { command -v "$1" >/dev/null 2>&1; }
say() { printf 'setup: %s\n' "$*" >&2; }

has_compiler() { { has cc || has gcc || has clang; } && { has c++ || has g++ || has clang++; }; }
has_cmake() { has cmake && { has make || has ninja; }; }
has_libclang() {
    local places=(
        "${LIBCLANG_PATH:-/nowhere}"
        /usr/lib /usr/lib64 /usr/local/lib /usr/lib/*-linux-gnu /usr/lib/llvm*/lib
        /opt/homebrew/opt/llvm/lib /usr/local/opt/llvm/lib
        /Library/Developer/CommandLineTools/usr/lib
        /Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/lib
    )
    local place library
    for place in "${places[@]}"; do
        for library in "$place"/libclang[.-]*; do
            # libclang-cpp is another library: the C++ interface, which bindgen cannot use.
            [[ -e $library && $library != */libclang-cpp* ]] && return 0
        done
    done
    return 1
}

# The checks that fail at the moment, by name.
missing() {
    has_compiler || echo compiler
    [ "${BAYPLAN_LP:-highs}" = rust ] && return
    has_cmake || echo cmake
    has_libclang || echo libclang
}

# The Debian packages behind those names.
packages() {
    local name
    for name in "$@"; do
        case $name in
            compiler) echo gcc g++ libc6-dev ;;
            cmake) echo cmake make ;;
            libclang) echo libclang-dev ;;
        esac
    done
}

install_with_apt() {
    has apt-get || return 1
    local root=()
    if [ "$(id -u)" != 0 ]; then
        # Ask for a password only where somebody can type it.
        has sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; } || return 1
        root=(sudo)
    fi
    local wanted
    read -ra wanted <<<"$(packages "$@" | tr '\n' ' ')"
    say "installing ${wanted[*]} with apt-get (log: $tools/apt.log)"
    local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y)
    "${apt[@]}" install --no-install-recommends "${wanted[@]}" >"$tools/apt.log" 2>&1 ||
        { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "${wanted[@]}"; } \
            >>"$tools/apt.log" 2>&1
}

install_with_pip() {
    has python3 && python3 -m pip --version >/dev/null 2>&1 || return 1
    has_compiler || return 1 # pip has none
    say "installing cmake, ninja and libclang with pip into .tools/python"
    python3 -m pip install --quiet --disable-pip-version-check --upgrade \
        --target "$tools/python" cmake ninja libclang >&2 || return 1
    mkdir -p "$tools/bin"
    local name
    for name in cmake ninja; do
        # The program itself: the wrapper in bin/ would need PYTHONPATH.
        local program=$tools/python/$name/data/bin/$name
        [ -x "$program" ] || program=$tools/python/bin/$name
        ln -sf "$program" "$tools/bin/$name"
    done
    cat >"$tools/env.sh" <<ENV
# Written by scripts/setup.sh. Source it before calling cargo by hand, or HiGHS is built twice.
export PATH="$tools/bin:\$PATH"
export LIBCLANG_PATH="$tools/python/clang/native"
export CMAKE_GENERATOR=Ninja
ENV
    . "$tools/env.sh"
}

give_up() {
    cat >&2 <<HELP

setup: missing: $*
setup: could not install it here. One of these does:

    Debian, Ubuntu   sudo apt-get install gcc g++ cmake make libclang-dev
    Fedora           sudo dnf install gcc gcc-c++ cmake make clang-devel
    Arch             sudo pacman -S base-devel cmake clang
    Alpine           sudo apk add build-base cmake clang-dev
    macOS            xcode-select --install && brew install cmake

Or do without HiGHS, with a slower LP solver in pure Rust:

    BAYPLAN_LP=rust ./task demo
    cargo build --release --no-default-features
HELP
    exit 1
}

if ! has cargo; then
    say "cargo is missing. Install Rust from https://rustup.rs:"
    say "    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"
    exit 1
fi
mapfile -t absent < <(missing)
[ ${#absent[@]} = 0 ] && exit 0
mkdir -p "$tools"
install_with_apt "${absent[@]}" || install_with_pip || true
mapfile -t absent < <(missing)
[ ${#absent[@]} = 0 ] || give_up "${absent[@]}"
say "ready"
