// Parts of the console that are loaded when they are first opened: people and what they may open.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Parts } from '../access/parts.tsx';
import { Loading, ProblemCallout } from './callout.tsx';

let loaded: Parts | undefined;

/** Draws a part of `access/parts.tsx` by its name, once it is loaded. */
export function later<Name extends keyof Parts>(name: Name): Parts[Name] {
  function Later(properties: object) {
    const [parts, setParts] = useState(loaded);
    const [problem, setProblem] = useState<unknown>();
    const [times, setTimes] = useState(0);
    useEffect(() => {
      if (loaded !== undefined) return;
      import('../access/parts.tsx').then((module) => {
        loaded = module.parts;
        setParts(loaded);
      }, setProblem);
    }, [times]);
    if (parts === undefined && problem !== undefined) return <ProblemCallout problem={problem} retry={() => setTimes(times + 1)} />;
    if (parts === undefined) return <Loading />;
    const Part = parts[name] as ComponentType<object>;
    return <Part {...properties} />;
  }
  return Later as Parts[Name];
}
