// The completion for zsh, as a function of its completion system: words are shown with their descriptions.
import { type CompletableWord, flagsWithValue, type Value } from './completable.ts';

export function zshCompletion(places: readonly CompletableWord[]): string {
  const groups = places.filter(({ path, commands }) => path === '' || commands.length > 0).map(({ path }) => `'${path}'`);
  const values = places.flatMap(({ path, flags, argument }) => [
    ...flags.flatMap(({ word, value }) => (value === undefined ? [] : [`      '${path} ${word}') ${replyOf(value)} ;;`])),
    ...(argument === undefined ? [] : [`      '${path} ') ${replyOf(argument)} ;;`]),
  ]);
  const words = places.map(({ path, commands, flags }) => {
    const described = (all: CompletableWord['flags']) => all.map(({ word, says }) => `      ${quoted(`${word}:${says}`)}\n`).join('');
    return `    '${path}')\n      commands=(\n${described(commands)}      )\n      options=(\n${described(flags)}      )\n      ;;`;
  });
  return `#compdef latchd
# zsh completion of latchd, printed by "latchd completion zsh"
_latchd() {
  local place='' before='' given
  local -a commands options
  # Which command it is; an option that takes a value, and has none yet, is kept in "before".
  for given in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $before ]]; then
      before=''
      continue
    fi
    case $given in
      ${flagsWithValue(places).join('|')}) before=$given ;;
      -*) ;;
      *)
        case $place in
          ${groups.join('|')}) place="\${place:+$place }$given" ;;
        esac
        ;;
    esac
  done
  if [[ -n $before || \${words[CURRENT]} != -* ]]; then
    case "$place $before" in
${values.join('\n')}
    esac
    [[ -z $before ]] || return 1
  fi
  case $place in
${words.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* || \${#commands} -eq 0 ]]; then
    _describe -o 'option' options
  else
    _describe 'command' commands
  fi
}
if [[ $funcstack[1] == _latchd ]]; then
  _latchd "$@"
else
  compdef _latchd latchd
fi`;
}

function replyOf(value: Value): string {
  if (value === 'anything') return ':';
  return value === 'file' ? '_files && return' : `compadd -- ${value.join(' ')} && return`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
