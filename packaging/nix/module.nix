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
    services.geoclue2 = {
      enable = true;
      # That agent permits everything; users enable the command's own with `geopublicist switch on`.
      enableDemoAgent = lib.mkDefault false;
      # The service is an agent with the name of the demo agent. Without the defaults, a desktop's own would be refused.
      whitelistedAgents = [ "geoclue-demo-agent" "gnome-shell" "io.elementary.desktop.agent-geoclue2" ];
    };
    security.polkit.enable = true;
    environment.systemPackages = [ settings.package ];
    services.dbus.packages = [ settings.package ];
    systemd.packages = [ settings.package ];
    systemd.services.geopublicist.reloadTriggers = [ (builtins.toJSON settings.settings) ];
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
