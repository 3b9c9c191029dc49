# Formula of Homebrew; `just packages` fills in the release.
class KubectlPreempt < Formula
  desc "Explain why a pod is pending, and which pods kube-scheduler would evict"
  homepage "https://github.com/kubectl-preempt/kubectl-preempt"
  version "@version@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@url darwin_arm64@"
      sha256 "@sha256 darwin_arm64@"
    end
    on_intel do
      url "@url darwin_amd64@"
      sha256 "@sha256 darwin_amd64@"
    end
  end

  on_linux do
    on_arm do
      url "@url linux_arm64@"
      sha256 "@sha256 linux_arm64@"
    end
    on_intel do
      url "@url linux_amd64@"
      sha256 "@sha256 linux_amd64@"
    end
  end

  def install
    bin.install "kubectl-preempt"
    bin.install "completions/kubectl_complete-preempt"
    man1.install Dir["man/*.1"]
    generate_completions_from_executable(bin/"kubectl-preempt", "completion")
  end

  test do
    assert_match "kubectl-preempt #{version}", shell_output("#{bin}/kubectl-preempt version")
  end
end
