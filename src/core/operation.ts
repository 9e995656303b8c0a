/**
 * The one definition of an operation. From it come the REST route, the OpenAPI document, the permission check, the
 * MCP tool and the rows of the test matrix; no other source defines HTTP.
 * This folder: the vocabulary of all layers: operations, failures, permissions, lifecycle, money, time, ids. Not here:
 * I/O, SQL of a noun, rules of one assay or payment rail; only their names are here.
 */
import type { ListFields } from './filter/index.ts';
import type { StagedFile } from './blobs.ts';
import type { GrantKind } from './grants.ts';
import type { Permission } from './permissions.ts';
import type { FailureCode, Problem } from './failures.ts';
import type { Static, TObject, TSchema } from './schema.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The effect of an operation; where it depends on the arguments, the worst case. `read` changes nothing. `reversible`
 * adds something, or makes a change that can be undone. `irrevocable` cannot be undone. `spends` commits the client
 * to pay, or moves money.
 */
export type Effect = 'read' | 'reversible' | 'irrevocable' | 'spends';

/** A header of the contract by its canonical name, without the brand prefix. */
export type PaymentHeader = 'payment-method' | 'payment-signature' | 'payment-authorization';

/** Body limit of an operation that states none. */
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
  /** When an operation of the effect `spends` commits money: `when …`. Absent: every time. */
  readonly spendsWhen?: string;
  /** `public` needs no token; `any` needs a token but no particular permission. */
  readonly permission: Permission | 'public' | 'any';
  /** A second permission, of an operation that reads one thing to make another. */
  readonly alsoNeeds?: Permission;
  /**
   * The operation gives a person or a token rights: the service refuses restricted credentials that may not give rights of this
   * kind.
   */
  readonly grants?: GrantKind;
  /** The operation also accepts a revoked token, if it is signed and unexpired and its holder is a member. */
  readonly acceptsRevoked?: boolean;
  /**
   * Members of its output that the error body also has while the database cannot be reached. Without the database
   * nobody can say whether the token is revoked, so only the door answers then.
   */
  readonly outage?: Readonly<Record<string, string>>;
  /** A token limited to certain experiments may call it without naming one of them. */
  readonly isOpenToLimitedTokens?: boolean;
  /** Whether agents get the operation as a tool; true unless stated. */
  readonly isTool?: boolean;
  /** Headers by which the operation accepts payments. */
  readonly paymentHeaders?: readonly PaymentHeader[];
  readonly params?: Params;
  readonly query?: Query;
  /** How the returned list can be filtered, sorted and searched; the query is a `ListQuery`. */
  readonly list?: ListFields;
  readonly body?: Body;
  /** `required` (the default): 415 or 400 without JSON. `optional`: absent, empty and `{}` are the same. */
  readonly bodyMode?: 'required' | 'optional';
  /** `SMALL_BODY_BYTES` unless stated; never more than the installation admits. */
  readonly bodyBytesMax?: number;
  /**
   * Members of the body that may hold thousands of entries, as a list or a map; they are checked some hundreds at a
   * time.
   */
  readonly bulk?: readonly string[];
  /**
   * The body may also come as a text of one of these media types; it then stands for a JSON body with this one member.
   */
  readonly text?: { readonly member: string; readonly media: readonly string[] };
  /** The body is the bytes of a file of any media type, not JSON; such an operation cannot be a tool. */
  readonly upload?: { readonly bytesMax: number; readonly description: string };
  readonly output: Output;
  /**
   * A nullable member of the output that holds a secret, which is shown once: the answer stored for a repeat under the
   * same `Idempotency-Key` has null there, and true in the member `<name>_was_shown`.
   */
  readonly shownOnce?: string;
  /**
   * The status of success; 200 unless stated. 204 has no body; 307 has one where `media` says so.
   */
  readonly success?: 200 | 201 | 204 | 307;
  /** Media types of a success that is not just JSON. */
  readonly media?: readonly string[];
  /** Further successful statuses, such as 307 or 202, with their meaning. */
  readonly alternatives?: Readonly<Record<number, { description: string; schema?: TSchema }>>;
  /** Every expected failure, beyond those that the transport itself raises for each request. */
  readonly failures: readonly FailureCode[];
  /** Runs on a body that failed its schema, so that one response lists every problem. */
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
  /** The file received by an operation with `upload`; the receiver drops it after the response. */
  readonly upload?: StagedFile | undefined;
  /** Contract headers by canonical name without the brand prefix, such as `payment-method`. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export type Output<Op> =
  Op extends OperationDefinition<infer _P, infer _Q, infer _B, infer O> ? Static<O> : never;

/** The media type of documents. */
export const PDF_MEDIA = 'application/pdf';

/** A response whose status, headers or content differ from the plain success. */
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

/** The permissions that a caller must have; none for an operation that is open. */
export function listPermissions({
  permission,
  alsoNeeds,
}: Pick<Operation, 'permission' | 'alsoNeeds'>): readonly Permission[] {
  if (permission === 'public' || permission === 'any') return [];
  return alsoNeeds === undefined ? [permission] : [permission, alsoNeeds];
}

/** Whether the success has a body at all. */
export function hasBody({ success, media }: Pick<Operation, 'success' | 'media'>): boolean {
  return success !== 204 && (success !== 307 || media !== undefined);
}

/** Every POST and PATCH honors `Idempotency-Key`, and so does whatever else changes something. */
export function takesIdempotencyKey(operation: Pick<Operation, 'effect' | 'method'>): boolean {
  return changesSomething(operation) || operation.method !== 'GET';
}

/** Whether the operation changes anything: then it is audited. */
export function changesSomething({ effect }: Pick<Operation, 'effect'>): boolean {
  return effect !== 'read';
}

/** Whether clients should ask a person before they call the operation. */
export function needsCare({ effect }: Pick<Operation, 'effect'>): boolean {
  return effect === 'irrevocable' || effect === 'spends';
}
