/**
 * The one definition of an operation. From it come the REST route, the OpenAPI document, the permission check, the
 * tool of the tool-protocol server and the rows of the test matrix; nothing else knows HTTP.
 * This folder: the vocabulary of all layers: operations, failures, permissions, lifecycle, money, time, ids. Not here:
 * I/O, SQL of a noun, anything of one assay or one payment rail.
 */
import type { ListFields } from './filter/index.ts';
import type { StagedFile } from './blobs.ts';
import type { GrantKind } from './grants.ts';
import type { Permission } from './permissions.ts';
import type { FailureCode, Problem } from './failures.ts';
import type { Static, TObject, TSchema } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What carrying it out does; where that depends on the arguments, the worst that they can bring about. `read` changes
 * nothing. `reversible` adds something, or changes what can be changed back. `irrevocable` cannot be taken back.
 * `spends` commits somebody to pay, or moves money.
 */
export type Effect = 'read' | 'reversible' | 'irrevocable' | 'spends';

/** A header of the contract by its canonical name, without the brand prefix. */
export type PaymentHeader = 'payment-method' | 'payment-signature' | 'payment-authorization';

/** What a body may have where its operation says nothing. */
export const SMALL_BODY_BYTES = 256 * 1024;

/** For bodies that hold sequences, structures or files: as large as the installation admits (`MAX_BODY_BYTES`). */
export const LARGE_BODY_BYTES = Number.POSITIVE_INFINITY;

export interface OperationDefinition<
  Params extends TObject | undefined,
  Query extends TObject | undefined,
  Body extends TSchema | undefined,
  Output extends TSchema,
> {
  readonly id: string;
  readonly method: Method;
  /** Below `/api/v1`, with `{parameters}` in braces. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly effect: Effect;
  /** `public` needs no token; `any` needs a token and no particular permission. */
  readonly permission: Permission | 'public' | 'any';
  /** It gives somebody rights: the door refuses every restricted credential that may not give rights of this kind. */
  readonly grants?: GrantKind;
  /** It answers a revoked token too, as long as that is signed, unexpired and its holder a member. */
  readonly acceptsRevoked?: boolean;
  /** A token that is limited to experiments may call it without naming one of them. */
  readonly isOpenToLimitedTokens?: boolean;
  /** Whether agents get it as a tool; true unless stated. */
  readonly isTool?: boolean;
  /** The headers by which it takes payments. */
  readonly paymentHeaders?: readonly PaymentHeader[];
  readonly params?: Params;
  readonly query?: Query;
  /** What the list that it answers can be filtered, sorted and searched by; its query is a `ListQuery`. */
  readonly list?: ListFields;
  readonly body?: Body;
  /** `required`, also where nothing is said: 415/400 without JSON. `optional`: absent, empty or `{}` are the same. */
  readonly bodyMode?: 'required' | 'optional';
  /** `SMALL_BODY_BYTES` unless stated; never more than the installation admits. */
  readonly bodyBytesMax?: number;
  /** Where the body may hold thousands of entries, as a list or a map: they are checked some hundreds at a time. */
  readonly bulk?: readonly string[];
  /** Instead of a JSON body, the bytes of a file, of any media type; such an operation can be no tool. */
  readonly upload?: { readonly bytesMax: number; readonly description: string };
  readonly output: Output;
  /** The status of success; 200 unless stated. 204 and 307 have no body: what a redirect has to say is its location. */
  readonly success?: 200 | 201 | 204 | 307;
  /** Media types of the success where they are not just JSON. */
  readonly media?: readonly string[];
  /** Further successful statuses, such as 307 or 202, with their meaning. */
  readonly alternatives?: Readonly<Record<number, { description: string; schema?: TSchema }>>;
  /** Every expected failure, beyond those the door itself raises for each request. */
  readonly failures: readonly FailureCode[];
  /** Runs on a body that failed its schema, so that every problem comes back in one answer. */
  readonly inspect?: (body: unknown) => readonly Problem[];
  readonly example: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
    readonly output?: unknown;
  };
}

export type Operation = OperationDefinition<
  TObject | undefined,
  TObject | undefined,
  TSchema | undefined,
  TSchema
>;

type StaticOr<Schema, Fallback> = Schema extends TSchema ? Static<Schema> : Fallback;

export interface Input<Op> {
  readonly params: Op extends OperationDefinition<infer P, infer _Q, infer _B, infer _O>
    ? StaticOr<P, object>
    : never;
  readonly query: Op extends OperationDefinition<infer _P, infer Q, infer _B, infer _O>
    ? StaticOr<Q, object>
    : never;
  readonly body: Op extends OperationDefinition<infer _P, infer _Q, infer B, infer _O>
    ? StaticOr<B, undefined>
    : never;
  /** What came for an operation with `upload`; whoever received it drops it after the answer. */
  readonly upload?: StagedFile | undefined;
  /** Contract headers by canonical name without the brand prefix: `payment-method`. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export type Output<Op> =
  Op extends OperationDefinition<infer _P, infer _Q, infer _B, infer O> ? Static<O> : never;

/** An answer with another status, headers or content than the plain success. */
export class Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export function defineOperation<
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  Out extends TSchema = TSchema,
>(definition: OperationDefinition<Params, Query, Body, Out>): OperationDefinition<Params, Query, Body, Out> {
  return definition;
}

/** Whether the success has a body at all. */
export function hasBody({ success }: Pick<Operation, 'success'>): boolean {
  return success !== 204 && success !== 307;
}

/** Whether it changes anything: then it is audited and honours Idempotency-Key. */
export function changesSomething({ effect }: Pick<Operation, 'effect'>): boolean {
  return effect !== 'read';
}

/** Whether clients should ask a person before they call it. */
export function needsCare({ effect }: Pick<Operation, 'effect'>): boolean {
  return effect === 'irrevocable' || effect === 'spends';
}
