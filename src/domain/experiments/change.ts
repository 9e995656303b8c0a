/** What a change of an experiment may hold: clients send every field, with null for those they leave alone. */
import { Nullable, strict, Type, Uuid } from '#core/schema.ts';
import { SequenceEntry } from '#domain/sequences/contract.ts';

const clearableText = Type.Optional(
  Nullable(Type.String(), { description: 'null keeps it; an empty text clears it' }),
);
const record = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

export const ExperimentChange = Type.Object(
  {
    name: Type.Optional(Nullable(Type.String(), { description: 'null keeps it' })),
    description: clearableText,
    target_id: Type.Optional(Nullable(Uuid, { description: 'null clears it; omitted keeps it' })),
    antigen_concentrations: Type.Optional(
      Nullable(Type.Array(Type.Number(), { maxItems: 24 }), {
        description: 'nM; affinity only; null keeps them',
      }),
    ),
    n_replicates: Type.Optional(Nullable(Type.Integer(), { description: '1 to 5; null keeps it' })),
    parameters: Type.Optional(Nullable(record, { description: 'replaced as a whole; null keeps them' })),
    sequences: Type.Optional(
      Nullable(Type.Array(SequenceEntry), { description: 'replaces all of them; null keeps them' }),
    ),
    webhook_url: clearableText,
    webhook_secret: clearableText,
  },
  strict,
);
