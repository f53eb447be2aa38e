# SPDX-License-Identifier: GPL-2.0-or-later
# complete.zsh FOLDER LINE - what zsh would complete at the end of LINE, one a line, with the
# functions in FOLDER
#
# An interactive zsh on a terminal of its own is told to complete; a compadd in front of the real
# one writes down what that is going to add.
emulate -L zsh
zmodload zsh/zpty

typeset -g found=$(mktemp) prepared=$(mktemp)
cat > $prepared <<'END'
PS1=
fpath=($FOLDER $fpath)
autoload -Uz compinit
compinit -D -u
zstyle ':completion:*' list-prompt ''
setopt no_list_beep
compadd() {
	local -a hits prefix suffix
	local option
	for option in "$@"; do
		[[ $option == -- || $option == - ]] && break
		[[ $option == -[OAD]* ]] && { builtin compadd "$@"; return }
	done
	builtin compadd -O hits "$@"
	zparseopts -E P:=prefix S:=suffix
	print -rl -- "$IPREFIX${prefix[2]:-}"$^hits"${suffix[2]:-}" >> $FOUND
	builtin compadd "$@"
}
tell_end() { print -r -- '' >> $FOUND.end }
comppostfuncs=(tell_end)
bindkey '^I' complete-word
print -r -- ready
END

export FOLDER=$1 FOUND=$found
zpty -b completing zsh -f -i
zpty -w completing "source $prepared"
zpty -r completing line '*ready*'
zpty -w -n completing "$2"$'\t'
repeat 100; do
	[[ -s $found.end ]] && break
	zpty -r -t completing line
	sleep 0.1
done
zpty -d completing
grep . $found | sort -u
rm -f $found $found.end $prepared
