/** Fields that records of several nouns share. Each has one description wherever it is used. */
import { describe, Nullable, Timestamp, Type, Uuid } from './schema.ts';

export const ExperimentId = describe(Uuid, 'of the experiment it belongs to; never changes');
export const ExperimentCode = Type.String({
  description: 'short form of the experiment id for people, such as DEMO-001-001',
});
export const OrganizationId = describe(Uuid, 'organization that owns it');
export const OrganizationName = Type.String({ description: 'current name of the organization that owns it' });
export const CreatedAt = describe(Timestamp, 'when it was made, UTC');
export const UpdatedAt = describe(Timestamp, 'when it last changed, UTC');
export const Currency = Type.String({ description: 'ISO 4217 code in lower case, such as usd' });
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

/** The path of every operation on one experiment. */
export const ExperimentParams = Type.Object({
  experiment_id: Type.String({ description: 'experiment id or code' }),
});

/** The payment page of an invoice, for every record that shows one. */
export const HostedInvoiceUrl = Nullable(Type.String(), {
  description: 'web page that takes the payment, later shows the receipt; null while the invoice is a draft',
});
