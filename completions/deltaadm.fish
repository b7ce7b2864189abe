# fish completion for deltaadm, which says itself what may come next.
#
# Save it as ~/.config/fish/completions/deltaadm.fish.

function __deltaadm --description 'What may come next on a command line of deltaadm'
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l answer ($words[1] __complete $words[2..-1] "$typed" 2>/dev/null)
    for candidate in $answer[2..-1]
        echo -- $candidate
    end
    if test "$answer[1]" = files
        set -l option (string match -r -- '^--[^=]+=' "$typed")
        for file in (__fish_complete_path (string replace -- "$option" '' "$typed"))
            echo -- "$option$file"
        end
    end
end

complete -c deltaadm -f -a '(__deltaadm)'
