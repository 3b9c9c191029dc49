# fish completion of kubectl-preempt, made by: kubectl-preempt completion fish
function __kubectl_preempt
    set -l words (commandline -opc) (commandline -ct)
    set -l answer (kubectl-preempt __complete $words[2..] 2>/dev/null)
    switch "$answer[-1]"
        case ':0'
            __fish_complete_path (commandline -ct)
        case ':16'
            __fish_complete_directories (commandline -ct)
        case '*'
            string match --invert -- ':*' $answer
    end
end
complete -c kubectl-preempt -f -a '(__kubectl_preempt)'
