/** Fields that records of several nouns share. Each has one description wherever it is used. */
import { experimentStatuses, invoiceStatuses } from './lifecycle.ts';
import { describe, Nullable, OneOf, Timestamp, Type, Uuid } from './schema.ts';

export const defineText = (description: string) => Type.Optional(Nullable(Type.String(), { description }));

/** Defines an optional text that may be null, with its own problem when it is too long. */
export const defineTextUpTo = (lengthMax: number, description: string) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: lengthMax, description }));

export const Id = describe(Uuid, 'never changes');
export const ExperimentId = describe(Uuid, 'of the experiment it belongs to; never changes');
export const ExperimentCode = Type.String({
  description: 'short form of the experiment id for people, such as DEMO-001-001',
});
export const ExperimentName = Type.String({ description: 'chosen by the client' });
export const ExperimentStatusField = OneOf(experimentStatuses, { description: 'status of the experiment' });
export const StatusSince = describe(Timestamp, 'UTC time since which it has this status');
export const WaitingActor = Nullable(OneOf(['client', 'lab', 'service']), {
  description: 'whose turn it is; null where nothing is awaited',
});
/** The expected date of an order, for every record that shows one. */
export const Eta = Type.Optional(
  Nullable(Timestamp, {
    description:
      'when the results are expected, UTC; before the acceptance of the quote: if it comes today; null where none is promised, and once it is over',
  }),
);
export const PromisedAt = Type.Optional(
  Nullable(Timestamp, {
    description:
      'first date of the results that the client was told after the acceptance, UTC; null before that, and once it is over',
  }),
);
export const SequenceCount = Type.Integer({ description: 'number of sequences, controls included' });
export const CurrentInvoiceStatus = Nullable(OneOf(invoiceStatuses), {
  description: 'status of the current invoice; null without one',
});
export const OrganizationId = describe(Uuid, 'organization that owns it');
export const OrganizationName = Type.String({ description: 'current name of the organization that owns it' });
export const CreatedAt = describe(Timestamp, 'when it was made, UTC');
export const UpdatedAt = describe(Timestamp, 'when it last changed, UTC');
export const Currency = Type.String({ description: 'ISO 4217 code in lower case, such as usd' });
export const ReasonForClients = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'why, in words; clients read it',
});
export const Warnings = Type.Array(Type.String(), {
  description:
    'what was accepted but looks wrong, one sentence for each rule with its count and first examples; empty or absent without any',
});
export const WarningGroupList = Type.Array(
  Type.Object({
    rule: Type.String({ description: 'name of the rule, such as cysteine_odd or unknown_key' }),
    count: Type.Integer({ minimum: 1, description: 'how often it was found, in sequences or in keys' }),
    examples: Type.Array(
      Type.Object({
        sequence: Nullable(Type.String(), {
          description: 'name of the sequence; null when it is about the request',
        }),
        message: Type.String({ description: 'what was found there, in words' }),
      }),
      { description: 'the first three' },
    ),
  }),
  { description: '`warnings` for programs, in the same order' },
);

/** What names an experiment in a request. */
export const ExperimentKey = Type.String({ description: 'experiment id or code' });
/** The path of every operation on one experiment. */
export const ExperimentParams = Type.Object({ experiment_id: ExperimentKey });
/** The path of every operation on one invoice. */
export const InvoiceParams = Type.Object({
  invoice_id: Type.String({ description: 'invoice id or external id (in_…)' }),
});

/** What is wrong with a file of a table that staff import. */
export const FileProblems = Type.Array(
  Type.Object({
    line: Type.Integer({ description: 'line of the file, from 1' }),
    message: Type.String({ description: 'what is wrong there' }),
  }),
  { description: 'with any, the file cannot be imported' },
);

/** The payment page of an invoice, for every record that shows one. */
export const HostedInvoiceUrl = Nullable(Type.String(), {
  description: 'web page that takes the payment, later shows the receipt; null while the invoice is a draft',
});
