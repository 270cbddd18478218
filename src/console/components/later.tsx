// Parts of the console that are loaded when they are first opened, a chunk for each kind of work.
import type { ComponentType } from 'preact';
import { Loading, ProblemCallout } from './callout.tsx';
import { useLoaded } from './loaded.ts';

/** About people and what they may open. */
export const accessPart = createLater(async () => (await import('../access/parts.tsx')).parts);
/** About the accounts of the gateway, and one's own. */
export const accountPart = createLater(async () => (await import('../account/account-parts.ts')).parts);
/** About the gateway itself: what its administrators look after. */
export const gatewayPart = createLater(async () => (await import('../pages/gateway-parts.ts')).parts);
/** About the building as a whole: what happened, the order of its groups, all doors of one. */
export const buildingPart = createLater(async () => (await import('../building/building-parts.ts')).parts);

/** Its backups and warnings, and what is to be done at a new one. */
export const upkeepPart = createLater(async () => (await import('../upkeep/upkeep-parts.ts')).parts);
/** About the programs that use the gateway as something else: Home Assistant, and those made for the TTLock cloud. */
export const facadePart = createLater(async () => (await import('../facades/facade-parts.ts')).parts);

/** Gives a component that draws a part by its name, once its chunk is loaded. */
function createLater<Parts extends object>(load: () => Promise<Parts>) {
  let loaded: Parts | undefined;
  return <Name extends keyof Parts>(name: Name): Parts[Name] => {
    function LaterPart(properties: object) {
      const { value, problem, retry } = useLoaded(loaded, load);
      loaded = value;
      if (value === undefined) return problem === undefined ? <Loading /> : <ProblemCallout problem={problem} retry={retry} />;
      const Part = value[name] as ComponentType<object>;
      return <Part {...properties} />;
    }
    return LaterPart as Parts[Name];
  };
}
