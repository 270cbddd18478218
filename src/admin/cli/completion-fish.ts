// The completion for fish: one line per word, shown with its description.
import { type CompletableWord, flagsWithValue, type Value } from './completable.ts';

export function fishCompletion(places: readonly CompletableWord[]): string {
  const groups = places.filter(({ path, commands }) => path === '' || commands.length > 0).map(({ path }) => `'${path}'`);
  const lines = places.flatMap(({ path, commands, flags, argument }) => {
    const here = `complete -c latchd -n "__latchd_is_at '${path}'"`;
    return [
      ...commands.map(({ word, says }) => `${here} -a ${word} -d ${quoted(says)}`),
      ...flags.map(({ word, says, value }) => `${here} -l ${word.slice(2)}${valueBehind(value)} -d ${quoted(says)}`),
      ...(argument === undefined || argument === 'anything'
        ? []
        : [`${here}${argument === 'file' ? ' -F' : ` -a '${argument.join(' ')}'`}`]),
    ];
  });
  return `# fish completion of latchd, printed by "latchd completion fish"
function __latchd_is_at
    set -l place ''
    set -l before ''
    for given in (commandline -opc)[2..-1]
        if test -n "$before"
            set before ''
            continue
        end
        switch $given
            case ${flagsWithValue(places).join(' ')}
                set before $given
            case '-*'
            case '*'
                if contains -- "$place" ${groups.join(' ')}
                    set place (string trim "$place $given")
                end
        end
    end
    test "$place" = "$argv[1]"
end
complete -c latchd -f
${lines.join('\n')}`;
}

function valueBehind(value: Value | undefined): string {
  if (value === undefined) return '';
  if (value === 'anything') return ' -x';
  return value === 'file' ? ' -r -F' : ` -x -a '${value.join(' ')}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
