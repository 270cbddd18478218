// Finds the resource of a path: one look-up for paths without values, which include the busy ones; patterns for the others.
import type { PathValues } from './raw-query.ts';
import type { ServedRoute } from './route.ts';

/** All routes of one path. */
export interface Resource {
  readonly path: string;
  /** By method; HEAD is there wherever GET only reads. */
  readonly routes: ReadonlyMap<string, ServedRoute>;
  /** Value of the Allow header. */
  readonly allow: string;
}

export interface RouteMatch {
  readonly resource: Resource;
  readonly pathValues: PathValues;
}

const noValues: PathValues = {};

/**
 * Returns a function that takes a path as it was sent, case-sensitive. It leaves values percent-encoded; undefined: no resource has this
 * path.
 */
export function createRouteTable(routes: readonly ServedRoute[]): (path: string) => RouteMatch | undefined {
  const resources = byPath(routes);
  const fixed = new Map(resources.map((resource) => [resource.path, { resource, pathValues: noValues }]));
  const patterns = resources.flatMap((resource) => {
    const names = [...resource.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
    if (names.length === 0) return [];
    return [{ resource, names, pattern: new RegExp(`^${resource.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`) }];
  });

  return (path) => {
    const found = fixed.get(path);
    if (found !== undefined) return found;
    for (const { resource, names, pattern } of patterns) {
      const values = pattern.exec(path);
      if (values) return { resource, pathValues: Object.fromEntries(names.map((name, index) => [name, values[index + 1] as string])) };
    }
    return undefined;
  };
}

function byPath(routes: readonly ServedRoute[]): readonly Resource[] {
  const paths = [...new Set(routes.map(({ path }) => path))];
  return paths.map((path) => {
    const ofPath = new Map<string, ServedRoute>();
    for (const route of routes) {
      if (route.path !== path) continue;
      ofPath.set(route.method, route);
      if (route.method === 'GET' && !('admit' in route)) ofPath.set('HEAD', route);
    }
    return { path, routes: ofPath, allow: [...ofPath.keys()].join(', ') };
  });
}
