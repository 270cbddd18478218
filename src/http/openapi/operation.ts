// What the OpenAPI document says of a route beyond its method, path and parameters. Each route table has its operations in the
// `-docs.ts` file beside it; they are loaded at the first request for the document.
import type { ErrorCode } from '../../domain/errors.ts';
import type { EventSchemaName } from '../api/event-schemas.ts';
import type { ResponseName } from '../api/response-schemas.ts';

/** A request and its real answer: a test sends it and compares. */
export interface OperationExample {
  readonly title: string;
  /** Parameters in path and query string. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  /** In place of `body`, where the endpoint takes a text. */
  readonly text?: string;
  /** 200 when absent. */
  readonly status?: number;
  readonly answer: object;
}

/** Whose token the operation requires, which says what `forbidden` means. */
export type RequiredRole =
  | 'nobody'
  | 'any account'
  | 'operator'
  | 'manager'
  | 'administrator'
  | 'gateway administrator'
  | 'access manager'
  | 'manager or gateway administrator'
  | 'administrator or gateway administrator';

export interface OperationDocs {
  readonly summary: string;
  readonly description?: string;
  /** `nobody`: the operation takes no token. */
  readonly requiredRole: RequiredRole;
  /** Errors beyond those that every request of its kind may get (`openapi-responses.ts`). */
  readonly refusals?: readonly ErrorCode[];
  /** Bodies by status: a schema; or a media type for another format, with the schema of its events if it is a stream. */
  readonly answers: Readonly<
    Record<number, ResponseName | { readonly mediaType: string; readonly streamOf?: EventSchemaName } | 'nothing'>
  >;
  /** Headers of the 200, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  /** At least one, if the answer has a schema. */
  readonly examples: readonly OperationExample[];
}

/** The operations of one table, by operationId. */
export type TableDocs = Readonly<Record<string, OperationDocs>>;
