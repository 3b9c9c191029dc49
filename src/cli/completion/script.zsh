#compdef PROGRAM
# zsh completion of PROGRAM, made by: PROGRAM completion zsh
_FUNCTION() {
    local -a answer candidates
    local directive line
    answer=("${(@f)$(PROGRAM __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    directive=${answer[-1]#:}
    answer=("${(@)answer[1,-2]}")
    if [[ $directive == 0 ]]; then
        _files
        return
    elif [[ $directive == 16 ]]; then
        _files -/
        return
    fi
    for line in $answer; do
        # _describe has a colon before the description.
        local value=${${line%%$'\t'*}//:/\\:}
        if [[ $line == *$'\t'* ]]; then
            candidates+=("$value:${line#*$'\t'}")
        else
            candidates+=("$value")
        fi
    done
    local -a space
    ((directive & 2)) && space=(-S '')
    _describe -V completions candidates $space
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _FUNCTION "$@"
else
    compdef _FUNCTION PROGRAM
fi
