/**
 * Binds each operation to its handler, with the types of its schemas. The handler has the name of the operation, and its
 * module is loaded when it is first called: most services never call most operations.
 */
import type { StagedFile } from '#core/blobs.ts';
import type { PublicContext, ReadContext, AuditedReadContext, WriteContext } from '#core/context.ts';
import { changesSomething, type Answer, type Input, type Operation, type Output } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { OutwardContext } from '#features/installation/outward-context.ts';
import type { FileContext } from '#features/runs/raw-files/preview-raw-files.ts';

export interface AnyInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly upload?: StagedFile | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

interface Bound {
  readonly operation: Operation;
  /** Loads the module of the handler before a request needs it. */
  readonly load: () => Promise<unknown>;
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

/** The operations that a noun defines, by name. */
type Contract<Name extends string> = Readonly<Record<Name, Operation>>;

/** Loads the module of a handler, which has the name of its operation. */
type Load<Name extends string, Op, Context> = () => Promise<Readonly<Record<Name, Handle<Op, Context>>>>;
type Handle<Op, Context> = (input: Input<Op>, context: Context) => Reply<Op>;

/** Returns a handler that loads its module at the first call. The dispatcher has validated the input before. */
function toHandler<Name extends string, Op, Context>(
  load: Load<Name, Op, Context>,
  name: Name,
): Handler<Context> {
  let loaded: Handle<Op, Context> | undefined;
  return async (input, context) => {
    const handle: Handle<Op, Context> = (loaded ??= (await load())[name]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- validate.ts checks at run time what this says
    return handle(input as Input<Op>, context);
  };
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
export function bindPublic<Name extends string, Nouns extends Contract<Name>>(
  contract: Nouns,
  name: Name,
  load: Load<Name, Nouns[Name], PublicContext>,
): Binding {
  return { kind: 'public', operation: requireNoChange(contract[name]), load, run: toHandler(load, name) };
}

/** Binds a read by GET. */
export function bindRead<Name extends string, Nouns extends Contract<Name>>(
  contract: Nouns,
  name: Name,
  load: Load<Name, Nouns[Name], ReadContext>,
): Binding {
  return { kind: 'read', operation: requireNoChange(contract[name]), load, run: toHandler(load, name) };
}

/** Binds a read of what belongs to others: the audit trail records who read it, each time. */
export function bindAuditedRead<Name extends string, Nouns extends Contract<Name>>(
  contract: Nouns,
  name: Name,
  load: Load<Name, Nouns[Name], AuditedReadContext>,
): Binding {
  return {
    kind: 'audited_read',
    operation: requireNoChange(contract[name]),
    load,
    run: toHandler(load, name),
  };
}

/** Binds a change that one transaction contains. */
export function bindWrite<Name extends string, Nouns extends Contract<Name>>(
  contract: Nouns,
  name: Name,
  load: Load<Name, Nouns[Name], WriteContext>,
): Binding {
  return { kind: 'write', operation: requireChange(contract[name]), load, run: toHandler(load, name) };
}

/**
 * Binds a write that acts outside this process, so that no single transaction can contain it. The handler records its
 * intention, acts without an open transaction, and records the outcome, each in a short transaction of its own.
 */
export function bindOutward<Name extends string, Nouns extends Contract<Name>>(
  contract: Nouns,
  name: Name,
  load: Load<Name, Nouns[Name], OutwardContext>,
): Binding {
  return { kind: 'outward', operation: requireChange(contract[name]), load, run: toHandler(load, name) };
}

/** Loads the module of a handler together with its check of a request whose body is unread. */
type LoadUpload<Name extends string, Op, Context> = () => Promise<
  Readonly<Record<Name, Handle<Op, Context>>> & {
    readonly refuseEarly: (input: Pick<Input<Op>, 'params'>, context: ReadContext) => Promise<void>;
  }
>;

/** Returns the check of an upload that runs before its body is read. */
function toEarlyCheck<Name extends string, Op, Context>(
  load: LoadUpload<Name, Op, Context>,
): Handler<ReadContext> {
  return async (input, context) => {
    const { refuseEarly } = await load();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- validate.ts checks at run time what this says
    await refuseEarly(input as Input<Op>, context);
  };
}

/** Binds an upload that is recorded, like `bindOutward`. */
export function bindUpload<Name extends string, Nouns extends Contract<Name>>(
  contract: Nouns,
  name: Name,
  load: LoadUpload<Name, Nouns[Name], OutwardContext>,
): Binding {
  const operation = requireChange(contract[name]);
  return {
    kind: 'outward',
    operation,
    load,
    refuseEarly: toEarlyCheck<Name, Nouns[Name], OutwardContext>(load),
    run: toHandler<Name, Nouns[Name], OutwardContext>(load, name),
  };
}

/** Binds an upload that is read and dropped, like `bindCompute`. */
export function bindComputedUpload<Name extends string, Nouns extends Contract<Name>>(
  contract: Nouns,
  name: Name,
  load: LoadUpload<Name, Nouns[Name], FileContext>,
): Binding {
  const operation = requireNoChange(contract[name]);
  return {
    kind: 'read',
    operation,
    load,
    refuseEarly: toEarlyCheck<Name, Nouns[Name], FileContext>(load),
    run: toHandler<Name, Nouns[Name], FileContext>(load, name),
  };
}

/**
 * Binds a POST or an upload that changes nothing. It needs no audit entry, and a transaction only to store its answer
 * under an idempotency key.
 */
export function bindCompute<Name extends string, Nouns extends Contract<Name>>(
  contract: Nouns,
  name: Name,
  load: Load<Name, Nouns[Name], FileContext>,
): Binding {
  return { kind: 'read', operation: requireNoChange(contract[name]), load, run: toHandler(load, name) };
}
