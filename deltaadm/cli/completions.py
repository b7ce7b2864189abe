"""
Scripts that complete command lines in a shell, made from the table of commands.

Every word stands in the script, so completing starts no process and reads nothing but the names
of files; only where a table begins with @ does it ask the program for the aliases of the place.
"""

from __future__ import annotations

import re
import shlex
from enum import Enum
from typing import TYPE_CHECKING, Final

from deltaadm.cli.declare import COMMON
from deltaadm.cli.table import COMMANDS
from deltaadm.cli.table import Command as Subcommand
from deltaadm.cli.topics import TOPICS
from deltaadm.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from deltaadm.cli.declare import Declared


class Shell(Enum):
    """The shells that there is a script for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


def script(shell: Shell) -> str:
    """The completion script for *shell*."""
    return _SCRIPTS[shell](read_commands())


# What can stand where


@dataclass(frozen=True)
class Value:
    """
    What a place on the command line takes.

    One of `words`, a file's name, or else something that only the user knows, as also what
    follows a word that ends with `=`. Where it takes a table, `aliases` may stand for it.
    """

    name: str
    words: tuple[str, ...] = ()
    files: bool = False
    aliases: bool = False


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option with all its names; `value` is None for a switch."""

    names: tuple[str, ...]
    help: str
    value: Value | None
    repeatable: bool


@dataclass(frozen=True, kw_only=True)
class Command:
    """One subcommand; the last of its arguments may be given again if it is `endless`."""

    name: str
    help: str
    options: tuple[Option, ...]
    arguments: tuple[Value, ...]
    endless: bool

    @property
    def places(self) -> Iterator[tuple[int, Value, bool]]:
        """Each argument with its place, from 0, and whether it takes all places from there on."""
        last = len(self.arguments) - 1
        for place, argument in enumerate(self.arguments):
            yield place, argument, self.endless and place == last


_HELP: Final = Option(
    names=("--help", "-h"), help="Show this message and exit.", value=None, repeatable=False
)
_VERSION: Final = Option(
    names=("--version",), help="Show the version and exit.", value=None, repeatable=False
)


def read_commands() -> tuple[Command, ...]:
    """The root, whose name is empty and whose argument is the subcommand, and every subcommand."""
    root = Command(
        name="",
        help="Explain, change and check the protocol side of Delta Lake tables.",
        options=(_VERSION, _HELP),
        arguments=(Value("COMMAND", (*COMMANDS, "help")),),
        endless=False,
    )
    topics = Command(
        name="help",
        help="Explain a command or a topic.",
        options=(_HELP,),
        arguments=(Value("COMMAND|TOPIC", (*COMMANDS, *TOPICS)),),
        endless=False,
    )
    return root, *(_command(Subcommand(name)) for name in COMMANDS), topics


def _command(subcommand: Subcommand) -> Command:
    declared = tuple(subcommand.declared())
    words = _words(_formats({name for option in declared for name in option.names}), declared)
    arguments = [option for option in declared if option.is_argument]
    options = (_option(option, words) for option in declared if not option.is_argument)
    return Command(
        name=subcommand.name,
        help=subcommand.summary,
        options=(*options, _HELP),
        arguments=tuple(_value(argument, words) for argument in arguments),
        endless=any(argument.is_list for argument in arguments),
    )


def _names(command: Command) -> Iterator[str]:
    """The names of all options."""
    return (name for option in command.options for name in option.names)


def _option(declared: Declared, words: Mapping[str, tuple[str, ...]]) -> Option:
    return Option(
        names=tuple(sorted(declared.names, key=lambda name: (not name.startswith("--"), name))),
        help=" ".join(declared.help.split()),
        value=None if declared.is_switch else _value(declared, words),
        repeatable=declared.is_list or declared.counted,
    )


_FILES: Final = frozenset(
    {"TABLE", "TABLE|FILE", "PLAN", "FILE", "FILE|DDL", "FILE|KEY=VALUE", "DIRECTORY", "PATH",
     "PLACE"}
)  # fmt: skip
_NAMES_TABLES: Final = "table|tables-from|discover|catalog"
"""Options after which no argument is a table where arguments say something else as well."""


def _value(declared: Declared, known: Mapping[str, tuple[str, ...]]) -> Value:
    """The values that *declared* takes, by the name that the help gives them."""
    name = declared.metavar
    words = known.get(name, known.get(name.strip("[]")))
    if words is None:
        plain = declared.type_name in {"str", "int", "Path"} or declared.is_pair
        words = () if plain else tuple(member.value for member in declared.enumeration)
    plain_name = name.removesuffix("[:FILE]").strip("[].") or "VALUE"
    return Value(plain_name, words, plain_name in _FILES, declared.names_tables)


def _words(
    formats: tuple[str, ...], declared: tuple[Declared, ...]
) -> Mapping[str, tuple[str, ...]]:
    """The meaning of the names of values in a command that takes what is *declared*."""
    from deltaadm.clients import CLIENTS, newest_releases
    from deltaadm.commit.inventory import KINDS
    from deltaadm.documents.schemas import SCHEMAS
    from deltaadm.domain.model.features import FEATURES
    from deltaadm.domain.model.properties import PROPERTIES
    from deltaadm.operations.error_classes import ERROR_CLASSES
    from deltaadm.operations.history import Section
    from deltaadm.operations.validate import families
    from deltaadm.validation.rule import RULES

    sections = tuple(section.value for section in Section)
    properties = tuple(entry.key for entry in PROPERTIES.values() if entry.editable)
    droppable = tuple(name for name, feature in FEATURES.items() if feature.removal is not None)
    return {
        "DOCUMENT": tuple(SCHEMAS),
        "SECTION": sections,
        "SECTION|PLACE": sections,
        "FORMAT": formats,
        "FORMAT[:FILE]": formats,
        "CLIENT": (*CLIENTS, *map(str, newest_releases())),
        "CODE": (*families(), *sorted(RULES)),
        "CODE...": (*families(), *sorted(RULES)),
        "WORD...": (*sorted(RULES), *FEATURES, *ERROR_CLASSES),
        "FORMAT PATH": KINDS,
        "PROPERTY": properties,
        "PROPERTY=VALUE": tuple(f"{property_}=" for property_ in properties),
        "WHEN": ("auto", "always", "never"),
        "FORM": ("text", "json"),
        "ACTION": ("show", "aliases"),
        "FILE|KEY=VALUE": tuple(
            f"{option.key}="
            for option in declared
            if not option.is_argument and option.scope == COMMON
        ),
        "[FEATURE]": tuple(FEATURES),
        "FEATURE": droppable,
        "FEATURE|TABLE": droppable,
        "FEATURE...": tuple(
            name
            for name, feature in FEATURES.items()
            if feature.in_delta_spark and not feature.not_addable
        ),
    }


def _formats(options: Collection[str]) -> tuple[str, ...]:
    """The formats of a command that has *options*, which tell what it shows."""
    from deltaadm.operations.inspect import TableReport
    from deltaadm.operations.reports import PlanReport
    from deltaadm.render.formats import formats_for
    from deltaadm.validation.finding import ValidationReport

    if "--fail-on" in options:
        return formats_for(ValidationReport)
    return formats_for(PlanReport if "--yes" in options else TableReport)


# bash

_BASH: Final = """\
# bash completion for deltaadm, generated by `deltaadm completion bash`.
#
# Save it as ~/.local/share/bash-completion/completions/deltaadm, or source it in ~/.bashrc.

_deltaadm_value() {
    case "$1" in
@VALUES@
        *) return 1 ;;
    esac
}

_deltaadm_options() {
    case "$1" in
@OPTIONS@
    esac
}

_deltaadm_argument() {
    case "$1" in
@ARGUMENTS@
    esac
}

_deltaadm() {
    local command='' expected='' current='' word='' files='' aliases='' rest=$COMP_LINE
    local -a words=() candidates=()
    local -i place=0 tables=0 ended=0 index
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
    words=("${words[@]:1}")

    for ((index = 0; index < ${#words[@]} - 1; index++)); do
        word=${words[index]}
        if [[ $expected ]]; then
            expected=''
        elif ((! ended)) && [[ $word == -- ]]; then
            ended=1
        elif ((! ended)) && [[ $word == -?* ]]; then
            [[ $word =~ ^--(@NAMES_TABLES@)(=|$) ]] && tables=1
            _deltaadm_value "$command $word" && expected=$word
            files='' aliases='' candidates=()
        elif [[ ! $command ]]; then
            command=$word
        else
            ((place += 1))
        fi
    done
    ((${#words[@]})) && current=${words[${#words[@]}-1]}

    if [[ $expected ]]; then
        _deltaadm_value "$command $expected"
    elif ((! ended)) && [[ $current == --*=* ]]; then
        _deltaadm_value "$command ${current%%=*}"
        current=${current#*=}
    elif ((! ended)) && [[ $current == -* ]]; then
        _deltaadm_options "$command"
    else
        _deltaadm_argument "$command $((place + tables))"
    fi

    if [[ $aliases && $current == @* ]]; then
        while IFS= read -r word; do
            printf -v word %q "$word"
            candidates+=("$word")
        done < <("$1" config aliases -o name 2>/dev/null)
    fi

    for word in "${candidates[@]}"; do
        [[ $word == "$current"* && ($word != *= || $word != "$current") ]] && COMPREPLY+=("$word")
    done
    # Without candidates, Readline completes file names unless that is turned off.
    [[ $files && ${#COMPREPLY[@]} -eq 0 ]] && return
    compopt +o default 2>/dev/null
    # Readline replaces what begins with the last @ alone.
    word=${current%@*}
    [[ $word != "$current" && $COMP_WORDBREAKS == *@* ]] && COMPREPLY=("${COMPREPLY[@]#"$word"}")
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

complete -o default -F _deltaadm deltaadm
"""


def _bash(commands: Iterable[Command]) -> str:
    values, options, arguments = [], [], []
    for command in commands:
        options.append(
            _bash_case(
                (shlex.quote(command.name),),
                f"candidates=({_quoted(_names(command))})",
            )
        )
        for option in command.options:
            if option.value is not None:
                labels = [shlex.quote(f"{command.name} {name}") for name in option.names]
                values.append(_bash_case(labels, _bash_takes(option.value)))
        for place, value, endless in command.places:
            label = (
                f"{shlex.quote(command.name + ' ')}*"
                if endless
                else shlex.quote(f"{command.name} {place}")
            )
            arguments.append(_bash_case((label,), _bash_takes(value)))
    return _filled(_BASH, VALUES=values, OPTIONS=options, ARGUMENTS=arguments)


def _bash_case(labels: Iterable[str], body: str) -> str:
    return f"        {' | '.join(labels)}) {body} ;;"


def _bash_takes(value: Value) -> str:
    takes = [f"candidates=({_quoted(value.words)})"] if value.words else []
    takes += ["files=1"] if value.files else []
    takes += ["aliases=1"] if value.aliases else []
    return " ".join(takes) or ":"


def _quoted(words: Iterable[str]) -> str:
    return shlex.join(words)


# zsh

_ZSH: Final = """\
#compdef deltaadm
# zsh completion for deltaadm, generated by `deltaadm completion zsh`.
#
# Save it as _deltaadm in a directory of $fpath, before compinit runs.

_deltaadm_tables() {
    if [[ $PREFIX == @* ]]; then
        local -a aliases
        aliases=(${(f)"$($program config aliases -o name 2>/dev/null)"})
        compadd -a aliases
    else
        _files
    fi
}

_deltaadm() {
    local curcontext="$curcontext" state line program=$words[1]
    local -a commands given
    typeset -A opt_args
    commands=(
@COMMANDS@
    )
    _arguments -C \\
@ROOT@
        '1:COMMAND:->command' \\
        '*::ARGUMENT:->argument' && return

    case $state in
        command) _describe -t commands command commands ;;
        argument)
            curcontext="${curcontext%:*:*}:deltaadm-$words[1]:"
            case $words[1] in
@CASES@
            esac
            ;;
    esac
}

if [[ $funcstack[1] == _deltaadm ]]; then
    _deltaadm "$@"
else
    compdef _deltaadm deltaadm
fi
"""


def _zsh(commands: Iterable[Command]) -> str:
    root, *rest = commands
    return _filled(
        _ZSH,
        COMMANDS=(
            f"        {shlex.quote(f'{command.name}:{_zsh_text(command.help)}')}"
            for command in rest
        ),
        ROOT=(f"        {spec} \\" for option in root.options for spec in _zsh_option(option)),
        CASES=map(_zsh_case, rest),
    )


def _zsh_case(command: Command) -> str:
    specs = [spec for option in command.options for spec in _zsh_option(option)]
    body = " \\\n".join(f"                        {spec}" for spec in (*specs, '"${given[@]}"'))
    indent = "\n                    "
    lines = [f"given=({_zsh_arguments(command, 0)})"]
    if len(command.arguments) > 1:
        named = f"${{words[(I)--({_NAMES_TABLES})(|=*)]}}"
        lines.append(f"(( {named} )) && given=({_zsh_arguments(command, 1)})")
    lines += [f"_arguments \\\n{body}", ";;"]
    return f"                {shlex.quote(command.name)}){indent}{indent.join(lines)}"


def _zsh_arguments(command: Command, tables: int) -> str:
    """The specs of the arguments, of which options have named the first *tables* already."""
    return " ".join(
        shlex.quote(f"{'*' if endless else place + 1 - tables}:{_zsh_takes(value)}")
        for place, value, endless in command.places
        if place >= tables
    )


def _zsh_option(option: Option) -> Iterator[str]:
    for name in option.names:
        if "--help" in option.names or (name == "--version" and option.value is None):
            # Nothing else is looked at beside these, so nothing else is offered.
            before = "(- *)"
        elif option.repeatable:
            before = "*"
        else:
            before = f"({' '.join(option.names)})"
        after = f"[{_zsh_text(option.help)}]"
        if option.value is not None:
            after = f"{'=' if name.startswith('--') else '+'}{after}:{_zsh_takes(option.value)}"
        yield shlex.quote(f"{before}{name}{after}")


def _zsh_takes(value: Value) -> str:
    name = _zsh_text(value.name)
    files = "_deltaadm_tables" if value.aliases else "_files"
    if not value.words:
        return f"{name}:{files if value.files else ' '}"
    if value.words[0].endswith("="):
        # As a suffix of its own: zsh then adds no blank behind it.
        words = f"compadd -S = -q - {_quoted(word[:-1] for word in value.words)}"
        return f"{name}:{{{words}{'; _files' if value.files else ''}}}"
    return f"{name}:({_quoted(map(_zsh_text, value.words))})"


def _zsh_text(text: str) -> str:
    return re.sub(r"([\\:\[\]])", r"\\\1", text)


# fish

_FISH: Final = """\
# fish completion for deltaadm, generated by `deltaadm completion fish`.
#
# Save it as ~/.config/fish/completions/deltaadm.fish.

function __deltaadm_at --description 'Whether the cursor is at an argument of a subcommand'
    set -l command ''
    set -l place 0
    set -l tables 0
    set -l expected 0
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $expected -eq 1
            set expected 0
            continue
        end
        if string match -qr -- '^--(@NAMES_TABLES@)(=|$)' $word
            set tables 1
        end
        switch "$command $word"
@VALUES@
            case '* -*'
            case '*'
                if test -z "$command"
                    set command $word
                else
                    set place (math $place + 1)
                end
        end
    end
    test "$command" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    set place (math $place + $tables)
    test $place -ge $argv[2]; or return 1
    set -q argv[3]; or return 0
    test $place -le $argv[3]
end

function __deltaadm_aliases --description 'The aliases of tables, where one begins with @'
    set -l program (commandline -opc)[1]
    if string match -qr -- '^(--[a-z-]+=)?@' (commandline -ct)
        $program config aliases -o name 2>/dev/null
    end
end

complete -c deltaadm -f
@LINES@
"""


def _fish(commands: Iterable[Command]) -> str:
    everything = tuple(commands)
    takers = [
        _fish_text(f"{command.name} {name}")
        for command in everything
        for option in command.options
        if option.value is not None
        for name in option.names
    ]
    helps = {command.name: command.help for command in everything}
    return _filled(
        _FISH,
        VALUES=(f"            case {taker}\n                set expected 1" for taker in takers),
        LINES=[line for command in everything for line in _fish_lines(command, helps)],
    )


def _fish_lines(command: Command, helps: Mapping[str, str]) -> Iterator[str]:
    yield ""
    for place, value, endless in command.places:
        here = _fish_text(command.name)
        start = _fish_start(f"__deltaadm_at {here} {place}" + ("" if endless else f" {place}"))
        if value.files:
            yield f"{start} -F{_FISH_ALIASES if value.aliases else ''}"
        elif not command.name:
            for word in value.words:
                yield f"{start} -a {_fish_text(word)} -d {_fish_text(helps[word])}"
        elif value.words:
            yield f"{start} -a {_fish_text(' '.join(map(_fish_text, value.words)))}"
    for option in command.options:
        start = _fish_start(f"__deltaadm_at {_fish_text(command.name)}")
        yield f"{start} {' '.join(_fish_option(option))}"


_FISH_ALIASES: Final = " -a '(__deltaadm_aliases)'"


def _fish_start(condition: str) -> str:
    return f"complete -c deltaadm -n {_fish_text(condition)}"


def _fish_option(option: Option) -> Iterator[str]:
    for name in option.names:
        yield f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
    if option.value is not None:
        yield "-r -F" if option.value.files else "-x"
        if option.value.aliases:
            yield _FISH_ALIASES.strip()
        if option.value.words:
            yield f"-a {_fish_text(' '.join(map(_fish_text, option.value.words)))}"
    yield f"-d {_fish_text(option.help)}"


def _fish_text(text: str) -> str:
    if re.fullmatch(r"[\w.-]+", text, re.ASCII):
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# PowerShell

_POWERSHELL: Final = """\
# PowerShell completion for deltaadm, generated by `deltaadm completion powershell`.
#
# Source it in your profile: . path/to/deltaadm.ps1

Register-ArgumentCompleter -Native -CommandName deltaadm -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $options = @{
@OPTIONS@
    }
    $values = @{
@VALUES@
    }
    $arguments = @{
@ARGUMENTS@
    }
    $helps = @{
@HELPS@
    }

    $command = ''
    $expected = ''
    $place = 0
    $tables = 0
    $ended = $false
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        if ($element.Extent.EndOffset -ge $cursorPosition) { break }
        $word = $element.Extent.Text
        if ($expected) { $expected = '' }
        elseif (-not $ended -and $word -eq '--') { $ended = $true }
        elseif (-not $ended -and $word -like '-?*') {
            if ($word -match '^--(@NAMES_TABLES@)(=|$)') { $tables = 1 }
            if ($values.ContainsKey("$command $word")) { $expected = $word }
        }
        elseif (-not $command) { $command = $word }
        else { $place++ }
    }

    $place += $tables
    $before = ''
    $current = "$wordToComplete"
    $found = @()
    if ($expected) {
        $found = $values["$command $expected"]
    }
    elseif (-not $ended -and $current -match '^(--[^=]+)=(.*)$') {
        $before = $Matches[1] + '='
        $current = $Matches[2]
        $found = $values["$command $($Matches[1])"]
    }
    elseif (-not $ended -and $current -like '-*') {
        $helps = $options[$command]
        if ($helps) { $found = @($helps.Keys) }
    }
    else {
        $found = $arguments["$command $place"]
        if ($null -eq $found) { $found = $arguments["$command $place+"] }
        for ($from = $place - 1; $null -eq $found -and $from -ge 0; $from--) {
            $found = $arguments["$command $from+"]
        }
    }

    # An @ begins an expression of PowerShell's, so an alias stands in quotes.
    if ($found -contains '<aliases>' -and $current.TrimStart("'", '"').StartsWith('@')) {
        $current = "'" + $current.Trim("'", '"')
        $program = $commandAst.CommandElements[0].Extent.Text
        $found = @(& $program config aliases -o name 2>$null | ForEach-Object { "'$_'" })
    }

    # Without output, PowerShell completes file names; $null prevents that.
    $files = $found -contains '<files>'
    $shown = @($found | Where-Object {
            $_ -and $_ -notlike '<*>' -and $_.StartsWith($current) -and
            -not ($_ -eq $current -and $_.EndsWith('='))
        } | Sort-Object)
    if ($shown.Count -eq 0 -and $files) { return }
    if ($shown.Count -eq 0) { return $null }
    foreach ($word in $shown) {
        $help = $word
        if ($helps -and $helps.Contains($word)) { $help = $helps[$word] }
        [System.Management.Automation.CompletionResult]::new(
            "$before$word", $word, 'ParameterValue', $help)
    }
}
"""


def _powershell(commands: Iterable[Command]) -> str:
    options, values, arguments, helps = [], [], [], []
    for command in commands:
        options.append(f"        {_powershell_text(command.name)} = [ordered]@{{")
        for option in command.options:
            for name in option.names:
                help_text = _powershell_text(option.help)
                options.append(f"            {_powershell_text(name)} = {help_text}")
                if option.value is not None:
                    values.append(_powershell_entry(f"{command.name} {name}", option.value))
        options.append("        }")
        for place, value, endless in command.places:
            key = f"{command.name} {place}{'+' if endless else ''}"
            arguments.append(_powershell_entry(key, value))
        if command.name:
            helps.append(
                f"        {_powershell_text(command.name)} = {_powershell_text(command.help)}"
            )
    return _filled(_POWERSHELL, OPTIONS=options, VALUES=values, ARGUMENTS=arguments, HELPS=helps)


def _powershell_entry(key: str, value: Value) -> str:
    words = [*value.words]
    words += ["<files>"] if value.files else []
    words += ["<aliases>"] if value.aliases else []
    return f"        {_powershell_text(key)} = @({', '.join(map(_powershell_text, words))})"


def _powershell_text(text: str) -> str:
    """PowerShell takes typographic quotes for plain ones."""
    return "'" + re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", text) + "'"


def _filled(template: str, **parts: Iterable[str]) -> str:
    for name, lines in parts.items():
        template = template.replace(f"@{name}@", "\n".join(lines))
    return template.replace("@NAMES_TABLES@", _NAMES_TABLES)


_SCRIPTS: Final[Mapping[Shell, Callable[[Iterable[Command]], str]]] = {
    Shell.BASH: _bash,
    Shell.ZSH: _zsh,
    Shell.FISH: _fish,
    Shell.POWERSHELL: _powershell,
}
