# SPDX-License-Identifier: Apache-2.0
#
# Completion of geopublicist(1) for fish. The program itself knows what may come next.

function __geopublicist_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l candidates (geopublicist --complete $words[2..-1] 2>/dev/null)
    switch "$candidates[1]"
        case ':files'
            __fish_complete_path $words[-1]
        case ':folders'
            set -l option (string match -r -- '^--.*?=' $words[-1])
            printf "$option%s\n" (__fish_complete_directories (string replace -- "$option" '' $words[-1]))
        case ':command'
            set -l first (contains -i -- -- $words)
            set -e words[1..$first]
            complete -C "$words"
        case '*'
            printf '%s\n' $candidates
    end
end

complete -c geopublicist -f -a '(__geopublicist_complete)'
