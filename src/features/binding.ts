/**
 * Joins each operation to the handler that carries it out, with the types of its schemas. A feature and a step of
 * `workflows` list theirs in `operations.ts`.
 */
import type { StagedFile } from '#core/blobs.ts';
import type { PublicContext, ReadContext, AuditedReadContext, WriteContext } from '#core/context.ts';
import { changesSomething, type Answer, type Input, type Operation, type Output } from '#core/operation.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/reply.ts';
import { labScope, type LabScope, type OrganizationScope } from '#core/scope.ts';
import type { ListFields, ListQuery, RawQuery } from '#core/filter/index.ts';
import type { OutwardContext } from './installation/outward-context.ts';
import type { FileContext } from './runs/raw-files/preview-raw-files.ts';

export interface AnyInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly upload?: StagedFile | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

interface Bound {
  readonly operation: Operation;
}

export type Binding = Bound &
  (
    | {
        readonly kind: 'public';
        run(input: AnyInput, context: PublicContext): Promise<unknown>;
      }
    | {
        readonly kind: 'read';
        /** Throws what the path alone shows to be wrong with an upload, before its body is read. */
        readonly refuseEarly?: Handler<ReadContext> | undefined;
        run(input: AnyInput, context: FileContext): Promise<unknown>;
      }
    | {
        readonly kind: 'audited_read';
        run(input: AnyInput, context: AuditedReadContext): Promise<unknown>;
      }
    | {
        readonly kind: 'write';
        run(input: AnyInput, context: WriteContext): Promise<unknown>;
      }
    | {
        readonly kind: 'outward';
        readonly refuseEarly?: Handler<ReadContext> | undefined;
        run(input: AnyInput, context: OutwardContext): Promise<unknown>;
      }
  );

type Reply<Op> = Promise<Output<Op> | Answer | RawJson>;

type Handler<Context> = (input: AnyInput, context: Context) => Promise<unknown>;

type Handle<Op, Context> = (input: Input<Op>, context: Context) => Reply<Op>;
/** Rejects an upload for what its path alone shows, before its body is read. */
type RefuseEarly<Op> = (input: Pick<Input<Op>, 'params'>, context: ReadContext) => Promise<void>;

/** The dispatcher has validated the input before. */
function toHandler<Op, Context>(handle: Handle<Op, Context>): Handler<Context> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- validate.ts checks at run time what this says
  return async (input, context) => handle(input as Input<Op>, context);
}

function toListHandler(
  handle: (context: ReadContext, query: RawQuery) => Promise<unknown>,
): Handler<ReadContext> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- validate.ts checks at run time what this says
  return async ({ query }, context) => handle(context, query as RawQuery);
}

function toEarlyCheck<Op>(refuseEarly: RefuseEarly<Op>): Handler<ReadContext> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- validate.ts checks at run time what this says
  return async (input, context) => refuseEarly(input as Input<Op>, context);
}

function requireNoChange(operation: Operation): Operation {
  if (changesSomething(operation)) throw new Error(`${operation.id} changes something and cannot be a read`);
  return operation;
}

function requireChange(operation: Operation): Operation {
  if (!changesSomething(operation)) throw new Error(`${operation.id} changes nothing and cannot be a write`);
  if (operation.method === 'GET') throw new Error(`${operation.id} is a GET and cannot be a write`);
  return operation;
}

/** Binds a read that needs no token. */
export function bindPublic<Op extends Operation>(operation: Op, handle: Handle<Op, PublicContext>): Binding {
  return { kind: 'public', operation: requireNoChange(operation), run: toHandler(handle) };
}

/** Binds a read by GET. */
export function bindRead<Op extends Operation>(operation: Op, handle: Handle<Op, ReadContext>): Binding {
  return { kind: 'read', operation: requireNoChange(operation), run: toHandler(handle) };
}

interface ListContext<Rows> extends ReadContext {
  /** Whose rows the list has. */
  readonly scope: Rows;
}
type ListPage<Rows> = (context: ListContext<Rows>, query: ListQuery) => Promise<RawJson>;

function requireFields({ id, list }: Operation): ListFields {
  if (list === undefined) throw new Error(`${id} declares no fields of a list`);
  return list;
}

/** Binds a list of the caller's organization. */
export function bindList(operation: Operation, page: ListPage<OrganizationScope>): Binding {
  const run = toListHandler((context, query) =>
    page(
      { ...context, scope: getScope(context.principal) },
      parseList(context, requireFields(operation), query),
    ),
  );
  return { kind: 'read', operation: requireNoChange(operation), run };
}

/** Binds a list for staff, over all organizations or of what is the lab's own. */
export function bindLabList(operation: Operation, page: ListPage<LabScope>): Binding {
  const run = toListHandler((context, query) =>
    page({ ...context, scope: labScope }, parseList(context, requireFields(operation), query, [], LAB_LIST)),
  );
  return { kind: 'read', operation: requireNoChange(operation), run };
}

/** Binds a read of what belongs to others: the audit trail records who read it, each time. */
export function bindAuditedRead<Op extends Operation>(
  operation: Op,
  handle: Handle<Op, AuditedReadContext>,
): Binding {
  return { kind: 'audited_read', operation: requireNoChange(operation), run: toHandler(handle) };
}

/** Binds a change that one transaction contains. */
export function bindWrite<Op extends Operation>(operation: Op, handle: Handle<Op, WriteContext>): Binding {
  return { kind: 'write', operation: requireChange(operation), run: toHandler(handle) };
}

/**
 * Binds a write that acts outside this process, so that no single transaction can contain it. The handler records its
 * intention, acts without an open transaction, and records the outcome, each in a short transaction of its own.
 */
export function bindOutward<Op extends Operation>(
  operation: Op,
  handle: Handle<Op, OutwardContext>,
): Binding {
  return { kind: 'outward', operation: requireChange(operation), run: toHandler(handle) };
}

/** Binds an upload that is recorded, like `bindOutward`. */
export function bindUpload<Op extends Operation>(
  operation: Op,
  handle: Handle<Op, OutwardContext>,
  refuseEarly: RefuseEarly<Op>,
): Binding {
  return {
    kind: 'outward',
    operation: requireChange(operation),
    refuseEarly: toEarlyCheck(refuseEarly),
    run: toHandler(handle),
  };
}

/** Binds an upload that is read and dropped, like `bindCompute`. */
export function bindComputedUpload<Op extends Operation>(
  operation: Op,
  handle: Handle<Op, FileContext>,
  refuseEarly: RefuseEarly<Op>,
): Binding {
  return {
    kind: 'read',
    operation: requireNoChange(operation),
    refuseEarly: toEarlyCheck(refuseEarly),
    run: toHandler(handle),
  };
}

/**
 * Binds a POST or an upload that changes nothing. It needs no audit entry, and a transaction only to store its answer
 * under an idempotency key.
 */
export function bindCompute<Op extends Operation>(operation: Op, handle: Handle<Op, FileContext>): Binding {
  return { kind: 'read', operation: requireNoChange(operation), run: toHandler(handle) };
}
