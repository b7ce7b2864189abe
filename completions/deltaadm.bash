# bash completion for deltaadm, which says itself what may come next.
#
# Save it as ~/.local/share/bash-completion/completions/deltaadm, or source it in ~/.bashrc.

_deltaadm() {
    local word='' files='' current='' left='' rest=$COMP_LINE
    local -a words=()
    local -i index
    COMPREPLY=()

    # bash splits words at =, : and @ as well, but here only blanks do.
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if [[ ! $word || $rest == [[:blank:]]* || $index -lt 2 ]]; then
            words+=("$word")
        else
            words[${#words[@]}-1]+=$word
        fi
        rest=${rest#*"$word"}
    done
    current=${words[${#words[@]}-1]}
    # Readline replaces only what follows the last = or :, or begins with the last @.
    left=$current
    [[ $COMP_WORDBREAKS == *=* ]] && left=${left##*=}
    [[ $COMP_WORDBREAKS == *:* ]] && left=${left##*:}
    [[ $COMP_WORDBREAKS == *@* && $left == *@* ]] && left=@${left##*@}
    left=${current%"$left"}

    {
        read -r files
        while IFS=$'\t' read -r word _; do
            printf -v word %q "$word"
            [[ $word == "$current"* ]] && COMPREPLY+=("${word#"$left"}")
        done
    } < <("$1" __complete "${words[@]:1}" 2>/dev/null)

    # Without candidates, Readline completes file names unless that is turned off.
    [[ $files && ${#COMPREPLY[@]} -eq 0 ]] && return
    compopt +o default 2>/dev/null
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

complete -o default -F _deltaadm deltaadm
