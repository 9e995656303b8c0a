/**
 * Operations of staff on the run of an order: analyze it again, let it run unpaid, and set the simulated lab.
 *
 * This folder: runs and raw files, as the lab's staff see them. Not here: analysis, results.
 */
import { ExperimentCode, ExperimentId, ExperimentParams } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, strict, Type, Uuid, Timestamp, Nullable, OneOf } from '#core/schema.ts';
import { sandboxLabs } from '../../experiments/sandbox-options.ts';

/** Settings in the body of a request that analyzes files. */
export const AskedSettings = Type.Optional(
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description:
      'settings of the analysis, as results show them under `analysis.settings`; omitted ones have their usual values',
  }),
);

export const reanalyzeExperiment = defineOperation({
  id: 'reanalyze_experiment',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/reanalyze',
  tag: 'lab',
  summary: 'Analyze the raw files of an experiment again, with other settings',
  description:
    'The settings are those that results show under `analysis.settings`; omitted ones have their usual values. Each result gets a new version that waits for review, and the old one stays: `release_results` releases it, or after the release `amend_results`. Replicates that were excluded stay excluded.',
  effect: 'irrevocable',
  permission: 'lab:review',
  params: ExperimentParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      settings: AskedSettings,
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'clients read it with the version, once that is released',
      }),
    },
    strict,
  ),
  success: 201,
  output: Type.Object({
    experiment_id: ExperimentId,
    experiment_code: ExperimentCode,
    analysis_id: describe(Uuid, 'id of the new analysis, whose results become the next versions'),
  }),
  failures: ['experiment_not_found', 'move_not_allowed'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { settings: { drift: false }, reason: 'The drift was within the noise.' },
    output: {
      experiment_id: '01980000-0000-7000-8000-0000000000e1',
      experiment_code: 'DEMO-001-001',
      analysis_id: '01980000-0000-7000-8000-0000000000f1',
    },
  },
});

/** The operation with which staff let an experiment run before it is paid. */

export const allowUnpaidRun = defineOperation({
  id: 'allow_unpaid_run',
  method: 'POST',
  path: '/lab/experiments/{experiment_id}/allow-unpaid',
  tag: 'lab-stored-runs',
  summary: 'Allow the run of an experiment before its invoice is paid, with a reason',
  description:
    'The client still owes the invoice and does not see the reason. A second call replaces the reason.',
  effect: 'reversible',
  permission: 'lab:review',
  params: ExperimentParams,
  bodyMode: 'required',
  body: Type.Object(
    {
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '\\S',
        description: 'why it may start before the payment; clients never see it',
      }),
    },
    strict,
  ),
  output: Type.Object({
    experiment_id: ExperimentId,
    experiment_code: ExperimentCode,
    reason: Type.String({ description: 'why it may start before the payment' }),
    released_by: Type.String({ description: 'e-mail address of the person who allowed it' }),
    created_at: describe(Timestamp, 'UTC time of the permission'),
  }),
  failures: ['experiment_not_found', 'move_not_allowed'],
  example: {
    params: { experiment_id: 'DEMO-001-001' },
    body: { reason: 'A purchase order is signed.' },
    output: {
      experiment_id: '01980000-0000-7000-8000-0000000000e1',
      experiment_code: 'DEMO-001-001',
      reason: 'A purchase order is signed.',
      released_by: 'manager@lab.example',
      created_at: '2026-03-02T09:30:00.000Z',
    },
  },
});

/** Operations of staff on the simulated lab of a sandbox. */

const Mode = OneOf(sandboxLabs, {
  description:
    'simulated: the service takes every step that is due; manual: people receive materials, start runs and release',
});

const SimulatedLab = Type.Object({
  mode: Mode,
  changed_by: Nullable(Type.String(), {
    description: 'address of the person who switched it last; null before that',
  }),
  changed_at: Nullable(Timestamp, { description: 'when it was switched last, UTC; null before that' }),
});

const simulated = {
  mode: 'simulated' as const,
  changed_by: 'manager@example.org',
  changed_at: '2026-01-20T09:00:00.000Z',
};

export const getSimulatedLab = defineOperation({
  id: 'get_simulated_lab',
  method: 'GET',
  path: '/lab/simulated-lab',
  tag: 'lab-sandbox',
  summary: 'Read who takes the steps of the lab in a sandbox',
  description: 'An experiment with `parameters.sandbox.lab` has its own answer to this.',
  effect: 'read',
  permission: 'lab:read',
  output: SimulatedLab,
  failures: ['sandbox_only'],
  example: { output: simulated },
});

export const setSimulatedLab = defineOperation({
  id: 'set_simulated_lab',
  method: 'PUT',
  path: '/lab/simulated-lab',
  tag: 'lab-sandbox',
  summary: 'Switch the lab of a sandbox between simulated and manual',
  description:
    'While it is manual, experiments wait until people receive the materials, start the run and release the results. A simulated run that was started before still records its files and is analyzed. Switched back, the simulated lab continues with every experiment that waits for it; runs that people started stay with people.',
  effect: 'reversible',
  permission: 'lab:run',
  bodyMode: 'required',
  body: Type.Object({ mode: Mode }, strict),
  output: SimulatedLab,
  failures: ['sandbox_only'],
  example: { body: { mode: 'simulated' }, output: simulated },
});

export const ShortfallReason = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'why less than was ordered is enough; needed where something is missing. Only staff read it',
  }),
);
