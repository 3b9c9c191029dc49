# PowerShell completion of kubectl-preempt, made by: kubectl-preempt completion powershell
Register-ArgumentCompleter -Native -CommandName 'kubectl-preempt' -ScriptBlock {
    param($word, $tree, $position)
    $words = @($tree.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $position } | ForEach-Object { $_.Extent.Text })
    # An empty last word is none of the elements.
    if ($word -eq '') { $words += '""' }
    $answer = @(kubectl-preempt __complete @words 2>$null)
    if ($answer.Count -eq 0 -or $answer[-1] -in ':0', ':16') { return }
    $answer | Select-Object -SkipLast 1 | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
}
