# shellcheck shell=bash disable=SC2154
# Makes a clean Debian to try packages on. To be sourced, with `root` set; needs root rights. TRY_DEBIAN_RELEASE names
# another release than bookworm.
: "${root:?the folder of the repository}"
# shellcheck source=python/bluetooth-lab/src/bluetooth_lab/setup/steps.sh
source "$root/python/bluetooth-lab/src/bluetooth_lab/setup/steps.sh"
# shellcheck source=python/bluetooth-lab/src/bluetooth_lab/setup/packages.sh
source "$root/python/bluetooth-lab/src/bluetooth_lab/setup/packages.sh"

packages=$root/.build-package
try=$packages/try
release=${TRY_DEBIAN_RELEASE:-bookworm}
base=$try/$release # as it was made
debian=$try/root # a copy, which is used
mirror=${LAB_DEBIAN_MIRROR:-http://deb.debian.org/debian}

# Sets `deb` and `tarball` to the newest that scripts/release/package has made.
find_packages() {
    local found
    found=$(find "$packages" -maxdepth 1 -name '*.deb' -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1)
    deb=${found#* }
    found=$(find "$packages" -maxdepth 1 -name '*.tar.gz' -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1)
    tarball=${found#* }
    [[ -n $deb && -n $tarball ]] || die "no package: run scripts/release/package"
}

make_base() {
    rm -rf "$base"
    debootstrap --variant=minbase "$release" "$base" "$mirror" || return
    cat >"$base/etc/apt/sources.list" <<SOURCES
deb $mirror $release main
deb $mirror $release-updates main
deb $mirror-security $release-security main
SOURCES
}

# Makes it in the folder `debian`, with the packages in its /root.
make_clean_debian() {
    ((EUID == 0)) || die "this needs root, for a chroot"
    mkdir -p "$try/logs"
    if ! command -v debootstrap >/dev/null; then
        step "installed debootstrap" "$try/logs/apt.log" apt_install debootstrap || exit 1
    fi
    if [[ ! -e $base.done ]]; then
        step "made a clean Debian ($release)" "$try/logs/debootstrap.log" make_base || exit 1
        touch "$base.done"
    fi
    rm -rf "$debian"
    cp -a "$base" "$debian"
    [[ -z ${deb:-} ]] || cp "$deb" "$tarball" "$debian/root/"
    cp -L /etc/resolv.conf "$debian/etc/resolv.conf"
    lend
}

# Sets `lent` to the variables with which this machine reaches package registries.
lend() {
    lent=()
    if [[ -n ${PIP_CERT:-} && -f $PIP_CERT ]]; then
        cp -L "$PIP_CERT" "$debian/root/certificates.crt"
        lent+=(PIP_CERT=/root/certificates.crt)
    fi
    local name
    for name in http_proxy https_proxy no_proxy PIP_INDEX_URL PIP_DEFAULT_TIMEOUT; do
        [[ -z ${!name:-} ]] || lent+=("$name=${!name}")
    done
}

# in_debian COMMAND [ARG…]: runs it there, as root, with /proc, /sys and /dev, which are mounted for this command alone.
in_debian() {
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount --propagation private bash -c '
        set -e
        debian=$1
        shift
        mount -t proc proc "$debian/proc"
        mount --rbind /sys "$debian/sys"
        mount --rbind /dev "$debian/dev"
        exec chroot "$debian" "$@"' in_debian "$debian" \
        env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}" \
        LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${lent[@]+"${lent[@]}"} "$@"
}

install_package() {
    step "updated the package lists" "$try/logs/update.log" in_debian apt-get update -q || exit 1
    step "installed ${deb##*/}" "$try/logs/install.log" in_debian apt-get install -y -q "/root/${deb##*/}" || exit 1
}

# remove_debian KEEP: removes all of it, or all but the base if KEEP is not empty
remove_debian() {
    rm -rf --one-file-system "$debian"
    [[ -n $1 ]] || rm -rf --one-file-system "$try"
}
