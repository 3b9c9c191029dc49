# fish completion of PROGRAM, made by: PROGRAM completion fish
function __FUNCTION
    set -l words (commandline -opc) (commandline -ct)
    set -l answer (PROGRAM __complete $words[2..] 2>/dev/null)
    switch "$answer[-1]"
        case ':0'
            __fish_complete_path (commandline -ct)
        case ':16'
            __fish_complete_directories (commandline -ct)
        case '*'
            string match --invert -- ':*' $answer
    end
end
complete -c PROGRAM -f -a '(__FUNCTION)'
