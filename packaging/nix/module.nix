# SPDX-License-Identifier: Apache-2.0
# A module for NixOS: services.geopublicist.enable = true;
{ config, lib, pkgs, ... }:

let
  settings = config.services.geopublicist;
  format = pkgs.formats.ini { };
in
{
  options.services.geopublicist = {
    enable = lib.mkEnableOption "Geopublicist, a location service for desktop programs on D-Bus";
    package = lib.mkOption {
      type = lib.types.package;
      default = pkgs.callPackage ./package.nix { };
      defaultText = lib.literalExpression "pkgs.callPackage ./package.nix { }";
      description = "The package of the service and of the command.";
    };
    settings = lib.mkOption {
      type = format.type;
      default = { };
      example = { Service.idle-timeout = 0; };
      description = "The contents of geopublicist.conf(5).";
    };
  };

  config = lib.mkIf settings.enable {
    services.geoclue2.enable = true;
    security.polkit.enable = true;
    environment.systemPackages = [ settings.package ];
    services.dbus.packages = [ settings.package ];
    systemd.packages = [ settings.package ];
    environment.etc = lib.mkIf (settings.settings != { }) {
      "geopublicist/geopublicist.conf".source = format.generate "geopublicist.conf" settings.settings;
    };
    users.users.geopublicist = {
      isSystemUser = true;
      group = "geopublicist";
      description = "Geopublicist location service";
    };
    users.groups.geopublicist = { };
  };
}
