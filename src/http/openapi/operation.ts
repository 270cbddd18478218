// What the document of the API says of a route beyond its method, path and parameters. Each table of routes has its operations in the
// `-docs.ts` file beside it; they are loaded when somebody asks for the document.
import type { ErrorCode } from '../../domain/errors.ts';
import type { EventSchemaName } from '../api/event-schemas.ts';
import type { ResponseName } from '../api/response-schemas.ts';

/** A request and its real answer: a test asks it. */
export interface OperationExample {
  readonly title: string;
  /** Of path and query string. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  /** 200 when absent. */
  readonly status?: number;
  readonly answer: object;
}

/** Whose token it takes, which says what `forbidden` means. */
export type RequiredRole =
  | 'nobody'
  | 'any account'
  | 'operator'
  | 'manager'
  | 'administrator'
  | 'gateway administrator'
  | 'manager or gateway administrator'
  | 'administrator or gateway administrator';

export interface OperationDocs {
  readonly summary: string;
  readonly description?: string;
  /** `nobody`: it takes no token. */
  readonly requiredRole: RequiredRole;
  /** Beyond those that every request of its kind may meet (`openapi-responses.ts`). */
  readonly refusals?: readonly ErrorCode[];
  /** Bodies by status; a media type for what is no JSON of ours, with what it is a stream of. */
  readonly answers: Readonly<
    Record<number, ResponseName | { readonly mediaType: string; readonly streamOf?: EventSchemaName } | 'nothing'>
  >;
  /** Headers of the 200, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  /** At least one where the answer has a schema. */
  readonly examples: readonly OperationExample[];
}

/** The operations of one table, by operationId. */
export type TableDocs = Readonly<Record<string, OperationDocs>>;
