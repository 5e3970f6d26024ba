# SPDX-License-Identifier: Apache-2.0
# callPackage ./package.nix { }: builds the tree that this file is in.
{ lib, stdenv, swift, swiftpm, lld, coreutils, dbus, gettext, glib, pkg-config, polkit, python3, systemd }:

stdenv.mkDerivation {
  pname = "geopublicist";
  version = "1.2.0";
  src = lib.cleanSource ../..;

  nativeBuildInputs = [ gettext lld pkg-config python3 swift swiftpm ];
  buildInputs = [ dbus glib polkit systemd ];

  # systemd of NixOS does not look for `kill` in /usr/bin.
  postPatch = ''
    patchShebangs packaging Tests/Rig Tools
    substituteInPlace packaging/systemd/*/geopublicist.service --replace-fail 'kill -HUP' '${coreutils}/bin/kill -HUP'
  '';

  # swiftpm's hook would build a different configuration from the one that is measured.
  buildPhase = ''
    runHook preBuild
    make build SWIFT=${swiftpm}/bin/swift SWIFT_FLAGS="--disable-sandbox"
    runHook postBuild
  '';

  # Everything is installed into the output, even if the dependencies name other folders.
  installPhase = ''
    runHook preInstall
    PREFIX=$out APPARMORDIR= CONFIGDIR=$out/etc/geopublicist \
      BUSPOLICYDIR=$out/share/dbus-1/system.d BUSINTERFACEDIR=$out/share/dbus-1/interfaces \
      SYSTEMSERVICEDIR=$out/share/dbus-1/system-services SESSIONSERVICEDIR=$out/share/dbus-1/services \
      SYSTEMUNITDIR=$out/lib/systemd/system USERUNITDIR=$out/lib/systemd/user SYSUSERSDIR=$out/lib/sysusers.d \
      ACTIONDIR=$out/share/polkit-1/actions packaging/install.sh
    runHook postInstall
  '';

  meta = {
    description = "Location service for desktop programs on D-Bus";
    homepage = "https://geopublicist.invalid/";
    license = lib.licenses.asl20;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "geopublicist";
  };
}
