# Flake of Nix; `just packages` fills in the release.
{
  description = "Explain why a pod is pending, and which pods kube-scheduler would evict";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      archives = {
        x86_64-linux = { url = "@url linux_amd64@"; sha256 = "@sha256 linux_amd64@"; };
        aarch64-linux = { url = "@url linux_arm64@"; sha256 = "@sha256 linux_arm64@"; };
        x86_64-darwin = { url = "@url darwin_amd64@"; sha256 = "@sha256 darwin_amd64@"; };
        aarch64-darwin = { url = "@url darwin_arm64@"; sha256 = "@sha256 darwin_arm64@"; };
      };
      package = system: archive:
        let pkgs = nixpkgs.legacyPackages.${system};
        in pkgs.stdenvNoCC.mkDerivation {
          pname = "kubectl-preempt";
          version = "@version@";
          src = pkgs.fetchurl archive;
          # The archive has no folder of its own.
          sourceRoot = ".";
          nativeBuildInputs = [ pkgs.installShellFiles ];
          installPhase = ''
            install -Dm755 kubectl-preempt completions/kubectl_complete-preempt -t $out/bin
            installManPage man/*.1
          '';
          meta = {
            homepage = "https://github.com/kubectl-preempt/kubectl-preempt";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "kubectl-preempt";
          };
        };
    in
    {
      packages = builtins.mapAttrs (system: archive: { default = package system archive; }) archives;
    };
}
