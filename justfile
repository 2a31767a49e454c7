# What a newcomer needs: `npx --yes rust-just start` and `npx --yes rust-just test`.

set shell := ["bash", "-euo", "pipefail", "-c"]

chromium := env("CHROMIUM", "/usr/bin/chromium")
static_target := "x86_64-unknown-linux-gnu"

# List the recipes
default:
    @{{ just_executable() }} --list --unsorted

# Build everything that changed and run the demonstration: no keys, no network, no configuration
start *ARGUMENTS: frontend
    cargo build
    ./target/debug/rimedio demo {{ ARGUMENTS }}

# Everything that continuous integration runs
test: check unit e2e release-test

# Formatting, lints, house rules, types: no test of behaviour
check: frontend
    cargo fmt --check
    cargo clippy --all-targets --locked -- --deny warnings
    npm --prefix frontend run check

# Unit and integration tests of both halves
unit: frontend _system-packages _mock-issuer _localstripe
    cargo test --locked
    npm --prefix frontend test

# Journeys in Chromium against the real binary
e2e *ARGUMENTS: frontend _system-packages
    cargo build --locked
    CHROMIUM={{ chromium }} npm --prefix frontend run e2e -- {{ ARGUMENTS }}

# Hot reload of the frontend against the running server; both stop together
dev: _node-packages
    cargo build
    trap 'kill 0' EXIT; ./target/debug/rimedio demo --port 8080 --public-url http://localhost:5173 & npm --prefix frontend run dev

# Figures: what the README claims about speed
bench: frontend
    cargo bench --locked

# The static binary for a server: target/x86_64-unknown-linux-gnu/release/rimedio
release: frontend
    # `--target` keeps the flags away from procedural macros. The getrandom backend: static glibc cannot look up
    # its own function at run time, and an empty root has no /dev/urandom.
    RUSTFLAGS='-C target-feature=+crt-static --cfg getrandom_backend="linux_getrandom"' \
        cargo build --locked --release --target {{ static_target }}

# The release binary is static, serves from an empty root, is small at rest and quick to start
release-test: release
    RIMEDIO_RELEASE_BINARY=target/{{ static_target }}/release/rimedio cargo test --locked --features release-test --test release -- --nocapture --test-threads 1

# Write openapi.json and the frontend's types anew
openapi:
    cargo run --quiet -- openapi > openapi.json
    npm --prefix frontend run schema

# Format both halves
fmt:
    cargo fmt

# Build the frontend when something in it is newer than its last build
frontend: _node-packages
    #!/usr/bin/env bash
    set -euo pipefail
    built=frontend/dist/index.html
    if [ ! -e "$built" ] || [ -n "$(find frontend openapi.json -newer "$built" -type f \
        -not -path 'frontend/node_modules/*' -not -path 'frontend/dist/*' -not -path 'frontend/e2e/*' \
        -not -path 'frontend/test-results/*' -print -quit)" ]; then
        npm --prefix frontend run build
        touch "$built"
    fi

_node-packages:
    @if [ ! frontend/node_modules/.package-lock.json -nt frontend/package-lock.json ]; then \
        npm --prefix frontend ci --no-audit --no-fund; touch frontend/node_modules/.package-lock.json; fi

_mock-issuer:
    @if [ ! tests/oauth2-mock/node_modules/.package-lock.json -nt tests/oauth2-mock/package-lock.json ]; then \
        npm --prefix tests/oauth2-mock ci --no-audit --no-fund; touch tests/oauth2-mock/node_modules/.package-lock.json; fi

# Another imitation of Stripe, with which the stand-in is compared
_localstripe:
    #!/usr/bin/env bash
    set -euo pipefail
    home=tests/localstripe
    [ "$home/venv/ready" -nt "$home/requirements.txt" ] && exit 0
    rm -rf "$home/venv"
    if ! python3 -m venv "$home/venv" 2> /dev/null; then
        if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
            echo "Missing: python3 with venv. Install them, for example with: sudo apt-get install python3-venv" >&2
            exit 1
        fi
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv > /dev/null
        rm -rf "$home/venv"
        python3 -m venv "$home/venv"
    fi
    "$home/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$home/requirements.txt"
    touch "$home/venv/ready"

# Chromium for the journeys and strace for the proof of durability: from the system's packages only
_system-packages:
    #!/usr/bin/env bash
    set -euo pipefail
    missing=()
    [ -x "{{ chromium }}" ] || missing+=(chromium)
    command -v strace > /dev/null || missing+=(strace)
    [ ${#missing[@]} -eq 0 ] && exit 0
    if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" fonts-liberation > /dev/null
    else
        echo "Missing: ${missing[*]}. Install them, for example with: sudo apt-get install ${missing[*]} (another Chromium: set CHROMIUM=/path/to/it)" >&2
        exit 1
    fi
