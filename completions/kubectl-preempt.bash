# bash completion of kubectl-preempt, made by: kubectl-preempt completion bash
_kubectl_preempt() {
    # COMP_WORDS are split at = and :, too, so the words come from the line.
    local line=${COMP_LINE:0:COMP_POINT} words part=${COMP_WORDS[COMP_CWORD]} answer directive candidate
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local current=${words[-1]}
    [[ $part == [=:] ]] && part=""
    mapfile -t answer < <(kubectl-preempt __complete "${words[@]:1}" 2>/dev/null)
    ((${#answer[@]})) || return
    directive=${answer[-1]#:}
    unset 'answer[-1]'
    case $directive in
    0)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$part")
        return
        ;;
    16)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$part")
        return
        ;;
    esac
    COMPREPLY=()
    for candidate in "${answer[@]}"; do
        candidate=${candidate%%$'\t'*}
        # What stands on the line before the part that bash replaces.
        COMPREPLY+=("${candidate#"${current%"$part"}"}")
    done
    ((directive & 2)) && compopt -o nospace 2>/dev/null
    ((directive & 32)) && compopt -o nosort 2>/dev/null
    return 0
}
complete -F _kubectl_preempt kubectl-preempt
