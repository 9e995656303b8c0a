/**
 * Operations of staff on the results of a run.
 * This folder: runs and raw files, as the lab's staff see them. Not here: analysis, results.
 */
import { ExperimentCode, ExperimentId } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, strict, Type, Uuid } from '#core/schema.ts';

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
  params: Type.Object({ experiment_id: Type.String({ description: 'experiment id or code' }) }),
  bodyMode: 'required',
  body: Type.Object(
    {
      settings: Type.Optional(
        Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          description:
            'settings of the analysis, as results show them under `analysis.settings`; omitted ones have their usual values',
        }),
      ),
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
