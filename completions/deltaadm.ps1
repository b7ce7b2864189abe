# PowerShell completion for deltaadm, which says itself what may come next.
#
# Source it in your profile: . path/to/deltaadm.ps1

Register-ArgumentCompleter -Native -CommandName deltaadm -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $program, $words = @($commandAst.CommandElements |
            Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
            ForEach-Object { $_.Extent.Text })
    $typed = "$wordToComplete".Trim("'", '"')
    # Before 7.3, PowerShell drops an empty argument.
    $files, $lines = @(& $program __complete @words $(if ($typed) { $typed } else { '""' }) 2>$null)

    $found = @($lines | Where-Object { $_ -and $_.StartsWith($typed) } | Sort-Object)
    # Without output, PowerShell completes file names; $null prevents that.
    if ($found.Count -eq 0) { if ($files) { return } else { return $null } }
    foreach ($line in $found) {
        $word, $help = $line.Split("`t")
        # An @ begins an expression of PowerShell's, so an alias stands in quotes.
        $text = if ($word.StartsWith('@')) { "'$word'" } else { $word }
        if (-not $help) { $help = $word }
        [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $help)
    }
}
