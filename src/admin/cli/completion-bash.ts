// The completion for bash. It works without the bash-completion package, but is installed in that package's folder.
import { type CompletableWord, flagsWithValue, type Value } from './completable.ts';

export function bashCompletion(places: readonly CompletableWord[]): string {
  const groups = places.filter(({ path, commands }) => path === '' || commands.length > 0).map(({ path }) => `'${path}'`);
  const values = places.flatMap(({ path, flags, argument }) => [
    ...flags.flatMap(({ word, value }) => (value === undefined ? [] : [`    '${path} ${word}') ${replyOf(value)} ;;`])),
    ...(argument === undefined ? [] : [`    '${path} ') ${replyOf(argument)} ;;`]),
  ]);
  const words = places.map(({ path, commands, flags }) => {
    const all = [...commands, ...flags].map(({ word }) => word).join(' ');
    return `    '${path}') words='${all}' ;;`;
  });
  return `# bash completion of latchd, printed by "latchd completion bash"
_latchd() {
  local word=\${COMP_WORDS[COMP_CWORD]} path='' before='' words='' i
  COMPREPLY=()
  # Which command it is; an option that takes a value, and has none yet, is kept in "before".
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ -n $before ]]; then
      before=''
      continue
    fi
    case \${COMP_WORDS[i]} in
    ${flagsWithValue(places).join(' | ')}) before=\${COMP_WORDS[i]} ;;
    -*) ;;
    *)
      case $path in
      ${groups.join(' | ')}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
      esac
      ;;
    esac
  done
  if [[ -n $before || $word != -* ]]; then
    case "$path $before" in
${values.join('\n')}
    esac
    [[ -z $before && \${#COMPREPLY[@]} -eq 0 ]] || return 0
  fi
  case $path in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _latchd latchd`;
}

function replyOf(value: Value): string {
  if (value === 'anything') return ':';
  if (value === 'file') return `compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word")`;
  return `COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$word"))`;
}
