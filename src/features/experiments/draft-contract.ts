/** Operations that make a draft of something else: of a file, of another experiment. */
import { ExperimentParams } from '#core/fields.ts';
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { describe, strict, Type, Uuid } from '#core/schema.ts';
import { createExperiment } from './contract.ts';
import { created, imported } from './examples.ts';
import { inspectImport } from './import-rules.ts';
import { PaymentChoice } from './payment-choice.ts';
import { ExperimentChange } from './change.ts';
import { CreateExpResponse, ExperimentType, Method } from './records.ts';

const defineText = (description: string) => Type.Optional(Type.String({ description }));
const defineSwitch = (description: string) => Type.Optional(Type.Boolean({ description }));

export const importExperiment = defineOperation({
  id: 'import_exp',
  method: 'POST',
  path: '/experiments/import',
  tag: 'new-experiments',
  summary: 'Create an experiment from FASTA or CSV',
  description:
    'The body is the file, the query is the specification; the answer is that of `create_exp`. The first row of CSV names the columns: `name` and `sequence`, and optionally `control`, `type`, `VH`, `VL`, `linker`, `tag_location`, `ch` and `cl`. A problem in the file is named by its line.',
  effect: 'spends',
  spendsWhen: 'when `auto_accept_quote` is true',
  permission: 'experiment:create',
  paymentHeaders: ['payment-method'],
  bodyBytesMax: LARGE_BODY_BYTES,
  bodyMode: 'required',
  query: Type.Object(
    {
      name: Type.String({ description: 'title for people; need not be unique' }),
      experiment_type: describe(ExperimentType, 'the assay; binding assays need a method and a target'),
      method: Type.Optional(describe(Method, 'technique of a binding assay')),
      target_id: Type.Optional(describe(Uuid, 'id of a target of the catalog (`list_targets`)')),
      target: defineText(
        'name of the target, exactly as the catalog has it, or its id; in place of `target_id`',
      ),
      requested_target: defineText('name of an antigen that the catalog lacks, in place of `target_id`'),
      n_replicates: Type.Optional(
        Type.Integer({ description: 'measurements of each sequence: 1 to 5, default 3' }),
      ),
      antigen_concentrations: defineText(
        'nM, separated by commas, such as 1000,316.2,100; as in `create_exp`',
      ),
      description: defineText('description of the experiment, for people'),
      webhook_url: defineText('https address that receives a signed POST for each change of status'),
      skip_draft: defineSwitch('true asks for the quote at once; false, as when absent, leaves a draft'),
      auto_accept_quote: defineSwitch('commits to the price: opens and accepts the quote at once'),
    },
    strict,
  ),
  text: {
    member: 'content',
    media: ['text/x-fasta', 'text/csv', 'text/plain', 'text/tab-separated-values'],
  },
  body: Type.Object(
    {
      content: Type.String({
        description: 'the whole file: FASTA, or a table whose first row names the columns',
      }),
      payment: PaymentChoice,
    },
    strict,
  ),
  inspect: inspectImport,
  success: 201,
  output: CreateExpResponse,
  alternatives: createExperiment.alternatives ?? {},
  // A file has no parameters.
  failures: createExperiment.failures.filter((code) => code !== 'sandbox_only'),
  example: {
    query: imported,
    body: { content: '>design-1\nQVQLVESGGGLVQAGGSLRLSCAAS\n>design-2\nEVQLVESGGGLVQPGGSLRLSCAAS\n' },
    output: created,
  },
});

/** The operation that makes a new draft like an experiment. */
export const cloneExperiment = defineOperation({
  id: 'clone_exp',
  method: 'POST',
  path: '/experiments/{experiment_id}/clone',
  tag: 'new-experiments',
  summary: 'Make a new draft with the specification and sequences of an experiment',
  description:
    'The experiment may have any status and stays as it is. The body changes the copy with the fields of `modify_exp` and names its `payment`; what it omits is copied, except for the webhook. Without a `name` the copy is named after the experiment. A target that is no longer in the catalog is left out, and `warnings` says so.',
  effect: 'reversible',
  permission: 'experiment:create',
  alsoNeeds: 'experiment:read',
  paymentHeaders: ['payment-method'],
  params: ExperimentParams,
  bodyBytesMax: LARGE_BODY_BYTES,
  bulk: ['sequences'],
  bodyMode: 'optional',
  body: Type.Object({ ...ExperimentChange.properties, payment: PaymentChoice }, strict),
  success: 201,
  output: CreateExpResponse,
  failures: [
    'invalid_experiment',
    'unprocessable_experiment',
    'looks_like_dna',
    'experiment_type_not_offered',
    'sandbox_only',
    'too_many_sequences',
    'experiment_not_found',
    'target_not_found',
    'unknown_payment_method',
    'payment_rail_not_served',
  ],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { name: 'EGFR binders, round 2' },
    output: { ...created, experiment_code: 'DEMO-001-002' },
  },
});
