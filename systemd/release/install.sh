#!/bin/sh
# Installs latchd on a Linux machine without its Debian package, from the unpacked archive that this file is in. Run again, from a newer
# archive, it upgrades: configuration and data stay. README.md beside this file has the steps.
set -eu
umask 022
here=$(cd "$(dirname "$0")" && pwd)
prefix=/usr/local
action=install
configuration=/etc/latchd/latchd.yaml
data=/var/lib/latchd

fail() {
  echo "install.sh: $1" >&2
  exit 1
}
usage() {
  cat <<USAGE
sh install.sh [--prefix FOLDER]               installs or upgrades latchd, below /usr/local or FOLDER
sh install.sh --uninstall [--prefix FOLDER]   removes the program; configuration and data stay
USAGE
}
has() { command -v "$1" >/dev/null 2>&1; }
runs_systemd() { [ -d /run/systemd/system ]; }

while [ $# -gt 0 ]; do
  case $1 in
    --prefix)
      [ $# -ge 2 ] || fail '--prefix needs a folder'
      prefix=$2
      shift
      ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    --uninstall) action=uninstall ;;
    --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      fail "it does not know $1"
      ;;
  esac
  shift
done
prefix=${prefix%/}
case $prefix in
  /*) ;;
  *) fail "--prefix must be a folder from the root on, such as /opt/latchd" ;;
esac
[ "$(id -u)" = 0 ] || fail 'it makes a user and a service: run it as root (sudo sh install.sh)'
if has dpkg-query && [ "$(dpkg-query --show --showformat='${db:Status-Status}' latchd 2>/dev/null)" = installed ]; then
  fail 'the Debian package latchd is installed here: apt-get looks after it'
fi
program=$prefix/lib/latchd

# What belongs to the program, below the prefix and elsewhere; nothing of it is anybody's data.
remove_program() {
  rm -rf "$program" "$prefix/share/doc/latchd" "$prefix/share/latchd"
  rm -f "$prefix/bin/latchd" "$prefix/share/man/man8/latchd.8.gz" "$prefix/share/bash-completion/completions/latchd" \
    "$prefix/share/zsh/vendor-completions/_latchd" "$prefix/share/fish/vendor_completions.d/latchd.fish"
}

if [ $action = uninstall ]; then
  [ -e "$program/install.sh" ] || fail "there is no latchd below $prefix: say with --prefix where it is"
  if runs_systemd; then systemctl disable --quiet --now latchd || true; fi
  if [ -e /etc/init.d/latchd ]; then
    rc-service --ifstarted latchd stop || true
    rc-update --quiet delete latchd || true
  fi
  rm -f /etc/systemd/system/latchd.service /etc/init.d/latchd
  if runs_systemd; then systemctl daemon-reload; fi
  remove_program
  echo "latchd is removed. Its configuration is still in /etc/latchd, and locks, keys, cards and records in $data."
  exit 0
fi

# Node first: nothing is changed on a machine that has none for it.
[ -e "$here/root/usr/bin/latchd" ] || fail 'unpack the whole archive, and run it in there'
node=$(command -v node || command -v nodejs) || fail 'latchd needs Node.js 20.19 or newer, and there is none: install it (package nodejs, or nodejs.org), then run this again'
node=$(readlink -f "$node")
if ! "$node" -e 'var v = process.versions.node.split("."); process.exit(v[0] > 20 || (v[0] == 20 && v[1] >= 19) ? 0 : 1)'; then
  fail "latchd needs Node.js 20.19 or newer, and $node is $("$node" --version): install a newer one (nodejs.org), then run this again"
fi
case $node in
  /root/* | /home/*) fail "the service cannot use $node, which is in somebody's home: install Node.js for the whole machine, then run this again" ;;
esac

if ! id latchd >/dev/null 2>&1; then
  if has systemd-sysusers; then
    systemd-sysusers "$here/root/usr/lib/sysusers.d/latchd.conf"
  elif has useradd; then
    useradd --system --user-group --no-create-home --home-dir $data --shell /usr/sbin/nologin latchd
  else
    addgroup -S latchd
    adduser -S -D -H -h $data -s /sbin/nologin -G latchd latchd
  fi
fi
mkdir -p $data
# Only a folder that is new and empty: data of an older latchd has its owner and its mode.
if [ -z "$(ls -A $data)" ]; then
  chown latchd:latchd $data
  chmod 700 $data
fi

# A file of the configuration is replaced while it is as the version before brought it; else the new one lies beside it.
for file in $(cd "$here/root" && find etc -type f); do
  mkdir -p "/$(dirname "$file")"
  if [ ! -e "/$file" ] || cmp -s "/$file" "$program/shipped/$file"; then
    cp "$here/root/$file" "/$file"
  elif ! cmp -s "$here/root/$file" "/$file" && ! cmp -s "$here/root/$file" "$program/shipped/$file"; then
    cp "$here/root/$file" "/$file.new"
    echo "/$file stays as you changed it; that of this version is /$file.new"
  fi
done

# The program is copied whole before the old one goes. Whoever unpacked the archive and how, its files are root's and for all to read.
chmod -R u=rwX,go=rX "$here/root"
rm -rf "$program.new"
mkdir -p "$prefix/bin" "$prefix/lib" "$prefix/share"
cp -RP "$here/root/usr/lib/latchd" "$program.new"
cp "$here/install.sh" "$program.new/install.sh"
mkdir "$program.new/shipped"
cp -RP "$here/root/etc" "$program.new/shipped/etc"
link=$(readlink "$here/root/usr/bin/latchd")
sed -i "1s|^#!/usr/bin/node|#!$node|" "$program.new/${link#../lib/latchd/}"
rm -rf "$program.before"
if [ -e "$program" ]; then mv "$program" "$program.before"; fi
remove_program
mv "$program.new" "$program"
ln -s "$link" "$prefix/bin/latchd"
cp -RP "$here/root/usr/share/." "$prefix/share/"

# service_file FILE TARGET: with the program where it is here. Says whether it is the first one.
service_file() {
  first=yes
  if [ -e "$2" ]; then first=no; fi
  mkdir -p "$(dirname "$2")"
  sed "s|/usr/bin/latchd|$prefix/bin/latchd|; s|file:///usr/share|file://$prefix/share|" "$1" >"$2"
}
# restarted COMMAND...: once the configuration suits the new version; doors first: else what runs goes on.
restarted() {
  if "$prefix/bin/latchd" check-config --config $configuration >/dev/null; then
    "$@" || echo 'latchd did not start; its log says why' >&2
  else
    # What runs loads much only when it is first needed, by names that no other version has.
    if [ -d "$program.before" ]; then cp -aln "$program.before/dist/src/." "$program/dist/src" || true; fi
    echo "latchd: the new version does not take $configuration as it is, so the old one goes on running. Mend the file, then: $*" >&2
  fi
}
if has systemctl; then
  service_file "$here/root/usr/lib/systemd/system/latchd.service" /etc/systemd/system/latchd.service
  if [ $first = yes ]; then systemctl enable --quiet latchd; fi
  # In a folder in which an image is made, nothing runs yet.
  if runs_systemd; then
    systemctl daemon-reload
    if [ $first = yes ] || systemctl is-active --quiet latchd; then restarted systemctl restart latchd; fi
  fi
elif has openrc-run; then
  service_file "$here/latchd.openrc" /etc/init.d/latchd
  chmod 755 /etc/init.d/latchd
  if [ $first = yes ]; then rc-update --quiet add latchd default; fi
  if [ $first = yes ] || rc-service --quiet latchd status; then restarted rc-service latchd restart; fi
else
  echo 'There is neither systemd nor OpenRC here. Let your supervisor run this as the user latchd, and again when it ends, but not after exit code 78:'
  echo "    $prefix/bin/latchd serve --config $configuration"
fi
rm -rf "$program.before"
echo "latchd $("$prefix/bin/latchd" --version) is installed: $prefix/bin/latchd, $configuration, $data"
